import { UsageError } from '../util/errors.ts';
import {
  defaultValues,
  type FaultOption,
  type ParsedOptions,
  parseOptionList,
  renderOptionList,
} from './option-list.ts';

const FAULT_DURATION_UNITS = { ms: 1, s: 1000, m: 60_000 } as const;
const MAX_FAULT_DURATION_MS = 10 * FAULT_DURATION_UNITS.m;

interface DurationRange {
  readonly fromMs: number;
  readonly toMs: number;
}

/** `200ms`, `1.5s` or `2m` in milliseconds; undefined for anything else and for more than ten minutes. */
function parseFaultDuration(text: string): number | undefined {
  const match = /^(\d{1,6}(?:\.\d{1,3})?)(ms|s|m)$/.exec(text);
  if (!match) return undefined;
  const ms = Number(match[1]) * FAULT_DURATION_UNITS[match[2] as keyof typeof FAULT_DURATION_UNITS];
  return ms <= MAX_FAULT_DURATION_MS ? ms : undefined;
}

/** One duration, or two as in `50ms-2s`; undefined where a part is none or the range runs backwards. */
function parseDurationRange(text: string): DurationRange | undefined {
  const [first = '', second = first, ...rest] = text.split('-');
  const fromMs = parseFaultDuration(first);
  const toMs = parseFaultDuration(second);
  if (rest.length > 0 || fromMs === undefined || toMs === undefined || fromMs > toMs) return undefined;
  return { fromMs, toMs };
}

/** Requests allowed in a window, counted for each route. */
export interface RequestRate {
  readonly requests: number;
  readonly windowMs: number;
}

/** How a request goes wrong: what its sender sees, and whether the change was made (`after`) or not (`before`). */
export interface InjectedFault {
  readonly when: 'before' | 'after';
  readonly effect: 'reset' | 'hang' | 'truncated' | 'html' | 500 | 502 | 503 | 504;
}

/** At most one of these strikes a request, so their chances add up to 1 at most. */
export const INJECTED_FAULTS = {
  reset: { when: 'before', effect: 'reset' },
  'reset-after': { when: 'after', effect: 'reset' },
  hang: { when: 'before', effect: 'hang' },
  'hang-after': { when: 'after', effect: 'hang' },
  error500: { when: 'before', effect: 500 },
  'error500-after': { when: 'after', effect: 500 },
  error502: { when: 'before', effect: 502 },
  error503: { when: 'before', effect: 503 },
  error504: { when: 'before', effect: 504 },
  'error504-after': { when: 'after', effect: 504 },
  truncate: { when: 'after', effect: 'truncated' },
  html: { when: 'after', effect: 'html' },
} as const satisfies Record<string, InjectedFault>;

/** What may befall the lists of a bulk answer; each is drawn on its own. */
export const ROW_FAULTS = ['missing-rows', 'double-rows', 'no-user-id', 'shuffle'] as const;

export type FaultName = keyof typeof INJECTED_FAULTS;
export type RowFault = (typeof ROW_FAULTS)[number];

const chance: FaultOption<number> = {
  default: 0,
  expects: 'a chance from 0 to 1, such as 0.05',
  parse: (text) => (/^\d*\.?\d+$/.test(text) && Number(text) <= 1 ? Number(text) : undefined),
};

const rate: FaultOption<RequestRate | undefined> = {
  default: undefined,
  expects: 'a number of requests a minute or second, such as 100/min or 5/s',
  parse(text) {
    const match = /^([1-9]\d{0,8})\/(min|s)$/.exec(text);
    return match ? { requests: Number(match[1]), windowMs: match[2] === 's' ? 1000 : 60_000 } : undefined;
  },
};

const NO_TIME: DurationRange = { fromMs: 0, toMs: 0 };

const FAULT_OPTIONS = {
  reset: chance,
  'reset-after': chance,
  hang: chance,
  'hang-after': chance,
  error500: chance,
  'error500-after': chance,
  error502: chance,
  error503: chance,
  error504: chance,
  'error504-after': chance,
  truncate: chance,
  html: chance,
  'missing-rows': chance,
  'double-rows': chance,
  'no-user-id': chance,
  shuffle: chance,
  /** Time between looking at a request and doing it. */
  latency: {
    default: NO_TIME,
    expects: 'a duration such as 200ms, or a range such as 50ms-2s',
    parse: parseDurationRange,
  },
  /** Time over which the body of an answer trickles out. */
  slow: { default: 0, expects: 'a duration such as 2s', parse: parseFaultDuration } as FaultOption<number>,
  limit: rate,
  'limit-no-header': rate,
  seed: {
    default: undefined,
    expects: 'a whole number',
    parse: (text) => (/^\d{1,9}$/.test(text) ? Number(text) : undefined),
  } as FaultOption<number | undefined>,
};

/** A bad day: the chance of each fault, the waits and the rate limit. */
export type Faults = ParsedOptions<typeof FAULT_OPTIONS>;

/** A good day. */
export const NO_FAULTS: Faults = defaultValues(FAULT_OPTIONS);

/** Every fault and what it takes, for help. */
export const FAULT_HELP = renderOptionList(FAULT_OPTIONS);

/**
 * Reads `reset=0.1,error500=0.05,limit=100/min,latency=50ms-2s,seed=7`.
 * @throws UsageError naming the part that is wrong, and what is allowed.
 */
export function parseFaults(text: string): Faults {
  const faults = parseOptionList(text, FAULT_OPTIONS, 'fault');
  const names = Object.keys(INJECTED_FAULTS) as FaultName[];
  const total = names.reduce((sum, name) => sum + faults[name], 0);
  if (total > 1 + Number.EPSILON * names.length) {
    throw new UsageError(
      `The chances of ${names.filter((name) => faults[name] > 0).join(', ')} add up to more than 1.`,
      'Only one of them can strike a request: lower some.',
    );
  }
  return faults;
}
