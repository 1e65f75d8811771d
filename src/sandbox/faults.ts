import { UsageError } from '../util/errors.ts';
import { durationMs } from '../util/units.ts';
import { type LimitRule, parseLimit } from './rate-limit.ts';

/** A part of a `name=value,name=value` list. */
interface FaultOption<T> {
  readonly default: T;
  /** Completes "requires ..." in an error. */
  readonly expects: string;
  /** Returns the value, or undefined if the text is not valid. */
  parse(text: string): T | undefined;
}

function option<T>(defaultValue: T, expects: string, parse: FaultOption<T>['parse']): FaultOption<T> {
  return { default: defaultValue, expects, parse };
}

/** How a request fails: what the client sees, and whether the change was made (`after`) or not (`before`). */
export interface InjectedFault {
  readonly when: 'before' | 'after';
  readonly effect: 'reset' | 'hang' | 'truncated' | 'html' | 500 | 502 | 503 | 504;
}

/** At most one of these applies to a request, so their probabilities add up to 1 at most. */
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

export type FaultName = keyof typeof INJECTED_FAULTS;

/** The names of the injected faults. */
export const FAULT_NAMES = Object.keys(INJECTED_FAULTS) as FaultName[];

const MAX_FAULT_DURATION_MS = 600_000;

/** Returns the milliseconds of a duration; undefined for anything else and for more than 10 minutes. */
function parseFaultDuration(text: string): number | undefined {
  const ms = durationMs(text);
  return ms !== undefined && ms <= MAX_FAULT_DURATION_MS ? ms : undefined;
}

/** Parses one duration, or a range such as `50ms-2s`; returns undefined for anything else. */
function parseDurationRange(text: string): { fromMs: number; toMs: number } | undefined {
  const [first = '', second = first, ...rest] = text.split('-');
  const fromMs = parseFaultDuration(first);
  const toMs = parseFaultDuration(second);
  if (rest.length > 0 || fromMs === undefined || toMs === undefined || fromMs > toMs) return undefined;
  return { fromMs, toMs };
}

const probability = option(0, 'a probability from 0 to 1, such as 0.05', (text) =>
  /^\d*\.?\d+$/.test(text) && Number(text) <= 1 ? Number(text) : undefined,
);

const FAULT_OPTIONS = {
  ...(Object.fromEntries(FAULT_NAMES.map((name) => [name, probability])) as Record<FaultName, FaultOption<number>>),
  /** The time between reading a request and executing it. */
  latency: option({ fromMs: 0, toMs: 0 }, 'a duration such as 200ms, or a range such as 50ms-2s', parseDurationRange),
  /** The time that sending a body takes. */
  slow: option(0, 'a duration such as 2s', parseFaultDuration),
  limit: option<LimitRule | undefined>(
    undefined,
    'requests per period, such as 100/min, 30/10s, or 5/s; rejections have Retry-After, except with 100/min:no-headers',
    parseLimit,
  ),
  seed: option<number | undefined>(undefined, 'an integer', (text) =>
    /^\d{1,9}$/.test(text) ? Number(text) : undefined,
  ),
};

type FaultOptions = typeof FAULT_OPTIONS;

/** The probability of each fault, the delays and the rate limit. */
export type Faults = { readonly [K in keyof FaultOptions]: FaultOptions[K]['default'] };

export const NO_FAULTS = Object.fromEntries(
  Object.entries(FAULT_OPTIONS).map(([name, option]) => [name, option.default]),
) as Faults;

/** Every fault with the values it accepts, in lines of at most 80 columns, for help. */
export const FAULT_HELP = renderFaultOptions();

function renderFaultOptions(): string {
  const names = new Map<string, string[]>();
  for (const [name, { expects }] of Object.entries(FAULT_OPTIONS)) {
    names.set(expects, [...(names.get(expects) ?? []), name]);
  }
  const lines = [...names].map(([expects, those]) => `${those.join(', ')}: ${expects}`);
  // Lines are indented by two, and their continuations by six.
  return lines
    .map((line) => line.replace(/(.{1,74})(?: |$)/g, '      $1\n').slice(4))
    .join('')
    .trimEnd();
}

/**
 * Parses `reset=0.1,error500=0.05,limit=100/min,latency=50ms-2s,seed=7`.
 *
 * @throws UsageError naming the invalid part and what is allowed
 */
export function parseFaults(text: string): Faults {
  const values = new Map<string, unknown>();
  for (const part of text.split(',').map((piece) => piece.trim())) {
    const [name, value] = parseFault(part);
    if (values.has(name)) throw new UsageError(`the fault "${name}" is repeated`, 'Specify it only once.');
    values.set(name, value);
  }
  const faults: Faults = { ...NO_FAULTS, ...Object.fromEntries(values) };
  const total = FAULT_NAMES.reduce((sum, name) => sum + faults[name], 0);
  if (total > 1 + Number.EPSILON * FAULT_NAMES.length) {
    throw new UsageError(
      `the probabilities of ${FAULT_NAMES.filter((name) => faults[name] > 0).join(', ')} add up to more than 1`,
      'At most one of them applies to a request. Use lower values.',
    );
  }
  return faults;
}

function parseFault(part: string): [name: string, value: unknown] {
  const [, name = part, value] = /^(.*?)\s*=\s*(.*)$/s.exec(part) ?? [];
  const allowed = `Allowed: ${Object.keys(FAULT_OPTIONS).join(', ')}.`;
  const option = Object.hasOwn(FAULT_OPTIONS, name) ? FAULT_OPTIONS[name as keyof FaultOptions] : undefined;
  if (!option) throw new UsageError(`"${part}" is not a fault`, allowed);
  const parsed = value === undefined ? undefined : option.parse(value);
  if (parsed === undefined) {
    throw new UsageError(`"${part}" is not a valid fault`, `${name} requires ${option.expects}. ${allowed}`);
  }
  return [name, parsed];
}
