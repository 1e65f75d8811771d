import { UsageError } from '../util/errors.ts';
import { type DurationRange, readDuration, readDurationRange } from './fault-duration.ts';
import { type Option, type OptionValues, parseOptionList, renderOptionList, usualValues } from './option-list.ts';

/** Requests allowed in a window, counted for each route. */
export interface Rate {
  readonly requests: number;
  readonly windowMs: number;
}

/** How a request goes wrong: what its sender sees, and whether the change was made (`after`) or not (`before`). */
export interface Strike {
  readonly when: 'before' | 'after';
  readonly sees: 'reset' | 'hang' | 'truncated' | 'html' | 500 | 502 | 503 | 504;
}

/** At most one of these strikes a request, so their chances add up to 1 at most. */
export const STRIKES = {
  reset: { when: 'before', sees: 'reset' },
  'reset-after': { when: 'after', sees: 'reset' },
  hang: { when: 'before', sees: 'hang' },
  'hang-after': { when: 'after', sees: 'hang' },
  error500: { when: 'before', sees: 500 },
  'error500-after': { when: 'after', sees: 500 },
  error502: { when: 'before', sees: 502 },
  error503: { when: 'before', sees: 503 },
  error504: { when: 'before', sees: 504 },
  'error504-after': { when: 'after', sees: 504 },
  truncate: { when: 'after', sees: 'truncated' },
  html: { when: 'after', sees: 'html' },
} as const satisfies Record<string, Strike>;

/** What may befall the lists of a bulk answer; each is drawn on its own. */
export const ROW_FAULTS = ['missing-rows', 'double-rows', 'no-user-id', 'shuffle'] as const;

export type StrikeName = keyof typeof STRIKES;
export type RowFault = (typeof ROW_FAULTS)[number];

const chance: Option<number> = {
  usual: 0,
  takes: 'a chance from 0 to 1, such as 0.05',
  read: (text) => (/^\d*\.?\d+$/.test(text) && Number(text) <= 1 ? Number(text) : undefined),
};

const rate: Option<Rate | undefined> = {
  usual: undefined,
  takes: 'a number of requests a minute or second, such as 100/min or 5/s',
  read(text) {
    const match = /^([1-9]\d{0,8})\/(min|s)$/.exec(text);
    return match ? { requests: Number(match[1]), windowMs: match[2] === 's' ? 1000 : 60_000 } : undefined;
  },
};

const NO_TIME: DurationRange = { fromMs: 0, toMs: 0 };

const FAULTS = {
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
  latency: { usual: NO_TIME, takes: 'a duration such as 200ms, or a range such as 50ms-2s', read: readDurationRange },
  /** Time over which the body of an answer trickles out. */
  slow: { usual: 0, takes: 'a duration such as 2s', read: readDuration } as Option<number>,
  limit: rate,
  'limit-no-header': rate,
  seed: {
    usual: undefined,
    takes: 'a whole number',
    read: (text) => (/^\d{1,9}$/.test(text) ? Number(text) : undefined),
  } as Option<number | undefined>,
};

/** A bad day: the chance of each fault, the waits and the rate limit. */
export type Faults = OptionValues<typeof FAULTS>;

/** A good day. */
export const NO_FAULTS: Faults = usualValues(FAULTS);

/** Every fault and what it takes, for help. */
export const FAULT_HELP = renderOptionList(FAULTS);

/**
 * Reads `reset=0.1,error500=0.05,limit=100/min,latency=50ms-2s,seed=7`.
 * @throws UsageError naming the part that is wrong, and what is allowed.
 */
export function parseFaults(text: string): Faults {
  const faults = parseOptionList(text, FAULTS, 'fault');
  const names = Object.keys(STRIKES) as StrikeName[];
  const total = names.reduce((sum, name) => sum + faults[name], 0);
  if (total > 1 + Number.EPSILON * names.length) {
    throw new UsageError(
      `The chances of ${names.filter((name) => faults[name] > 0).join(', ')} add up to more than 1.`,
      'Only one of them can strike a request: lower some.',
    );
  }
  return faults;
}
