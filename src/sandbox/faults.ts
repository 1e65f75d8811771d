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
  readonly effect: 'reset' | 'hang' | 500;
}

/** At most one of these applies to a request. */
export const INJECTED_FAULTS = {
  reset: { when: 'before', effect: 'reset' },
  'reset-after': { when: 'after', effect: 'reset' },
  hang: { when: 'before', effect: 'hang' },
  'hang-after': { when: 'after', effect: 'hang' },
  error500: { when: 'before', effect: 500 },
  'error500-after': { when: 'after', effect: 500 },
} as const satisfies Record<string, InjectedFault>;

type FaultName = keyof typeof INJECTED_FAULTS;

const FAULT_NAMES = Object.keys(INJECTED_FAULTS) as FaultName[];

const MAX_LATENCY_MS = 600_000;

/** Returns the milliseconds of a duration; undefined for anything else and for more than 10 minutes. */
function parseLatency(text: string): number | undefined {
  const ms = durationMs(text);
  return ms !== undefined && ms <= MAX_LATENCY_MS ? ms : undefined;
}

const probability = option(0, 'a probability from 0 to 1, such as 0.05', (text) =>
  /^\d*\.?\d+$/.test(text) && Number(text) <= 1 ? Number(text) : undefined,
);

const FAULT_OPTIONS = {
  ...(Object.fromEntries(FAULT_NAMES.map((name) => [name, probability])) as Record<FaultName, FaultOption<number>>),
  /** The time between reading a request and executing it. */
  latency: option(0, 'a duration up to 10m, such as 200ms', parseLatency),
  limit: option<LimitRule | undefined>(undefined, 'requests per period, such as 100/min, 30/10s, or 5/s', parseLimit),
  seed: option<number | undefined>(undefined, 'an integer', (text) =>
    /^\d{1,9}$/.test(text) ? Number(text) : undefined,
  ),
};

type FaultOptions = typeof FAULT_OPTIONS;

/** The probability of each fault, the delay, and the rate limit. */
export type Faults = { readonly [K in keyof FaultOptions]: FaultOptions[K]['default'] };

export const NO_FAULTS = Object.fromEntries(
  Object.entries(FAULT_OPTIONS).map(([name, option]) => [name, option.default]),
) as Faults;

/**
 * Parses `reset=0.1,error500=0.05,limit=100/min,latency=200ms,seed=7`.
 *
 * @throws UsageError naming the invalid part and what is allowed
 */
export function parseFaults(text: string): Faults {
  const values = text.split(',').map((part) => parseFault(part.trim()));
  return { ...NO_FAULTS, ...Object.fromEntries(values) };
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

/**
 * Picks the fault of the n-th request. It depends on seed and number only, so a run can be repeated however its requests
 * overlap.
 */
export function pickFault(faults: Faults, seed: number, requestNumber: number): FaultName | undefined {
  const draw = drawNumber(seed + Math.imul(requestNumber, 0x9e3779b1));
  let upTo = 0;
  return FAULT_NAMES.find((name) => {
    upTo += faults[name];
    return draw < upTo;
  });
}

/** Returns the first number of a mulberry32 generator, from 0 to 1. */
function drawNumber(seed: number): number {
  const state = (seed + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
}
