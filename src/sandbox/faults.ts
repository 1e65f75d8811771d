import { UsageError } from '../util/errors.ts';
import { durationMs } from '../util/units.ts';

/** How the sandbox fails, as real services do. */
export interface Faults {
  /** The probability that the sandbox makes the change of a request, but resets its connection. */
  readonly resetAfter: number;
  /** The probability that it makes no change, and responds with 500. */
  readonly error500: number;
  /** The time before it processes a request, in milliseconds. */
  readonly latencyMs: number;
  readonly limit: RateLimit | undefined;
}

/** How many requests the sandbox accepts in a period. */
interface RateLimit {
  readonly requests: number;
  readonly periodMs: number;
}

export const NO_FAULTS: Faults = { resetAfter: 0, error500: 0, latencyMs: 0, limit: undefined };

/** The values of `--fault`, for help and errors. */
export const FAULT_VALUES = {
  'reset-after': 'a probability such as 0.1: the sandbox makes the change, then resets the connection',
  error500: 'a probability such as 0.05: the sandbox makes no change',
  limit: 'requests per period, such as 100/min, 30/10s, or 5/s',
  latency: 'a duration up to 10m, such as 200ms',
};

const PARSERS: Record<keyof typeof FAULT_VALUES, (value: string) => Partial<Faults> | undefined> = {
  'reset-after': (value) => (isProbability(value) ? { resetAfter: Number(value) } : undefined),
  error500: (value) => (isProbability(value) ? { error500: Number(value) } : undefined),
  limit(value) {
    const [, requests, count = '1', unit] = /^([1-9]\d{0,8})\/([1-9]\d{0,3})?(s|min)$/.exec(value) ?? [];
    if (requests === undefined) return undefined;
    return { limit: { requests: Number(requests), periodMs: Number(count) * (unit === 'min' ? 60_000 : 1000) } };
  },
  latency(value) {
    const latencyMs = durationMs(value);
    return latencyMs === undefined || latencyMs > 600_000 ? undefined : { latencyMs };
  },
};

function isProbability(text: string): boolean {
  return /^\d*\.?\d+$/.test(text) && Number(text) <= 1;
}

/**
 * Parses `reset-after=0.1,error500=0.05,limit=100/min,latency=200ms`.
 *
 * @throws UsageError naming the invalid part and what is allowed
 */
export function parseFaults(text: string): Faults {
  return Object.assign({}, NO_FAULTS, ...text.split(',').map((part) => parseFault(part.trim())));
}

function parseFault(part: string): Partial<Faults> {
  const [name = '', value = ''] = part.split('=', 2);
  if (!isFaultName(name)) {
    throw new UsageError(`"${part}" is not a fault`, `The faults are: ${Object.keys(FAULT_VALUES).join(', ')}.`);
  }
  const fault = PARSERS[name](value);
  if (fault === undefined)
    throw new UsageError(`"${part}" is not a valid fault`, `${name} takes ${FAULT_VALUES[name]}.`);
  return fault;
}

function isFaultName(name: string): name is keyof typeof FAULT_VALUES {
  return Object.hasOwn(FAULT_VALUES, name);
}

/**
 * Creates a function that counts a request at a time in milliseconds.
 *
 * @returns undefined for a request that is accepted, otherwise the seconds until the next period, rounded up
 */
export function createLimiter({ requests, periodMs }: RateLimit): (nowMs: number) => number | undefined {
  let startMs = Number.NEGATIVE_INFINITY;
  let accepted = 0;
  return (nowMs) => {
    if (nowMs >= startMs + periodMs) {
      startMs = nowMs;
      accepted = 0;
    }
    if (accepted >= requests) return Math.ceil((startMs + periodMs - nowMs) / 1000);
    accepted += 1;
    return undefined;
  };
}
