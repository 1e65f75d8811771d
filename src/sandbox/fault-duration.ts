const FAULT_DURATION_UNITS = { ms: 1, s: 1000, m: 60_000 } as const;
const MAX_FAULT_DURATION_MS = 10 * FAULT_DURATION_UNITS.m;

export interface DurationRange {
  readonly fromMs: number;
  readonly toMs: number;
}

/** `200ms`, `1.5s` or `2m` in milliseconds; undefined for anything else and for more than ten minutes. */
export function parseFaultDuration(text: string): number | undefined {
  const match = /^(\d{1,6}(?:\.\d{1,3})?)(ms|s|m)$/.exec(text);
  if (!match) return undefined;
  const ms = Number(match[1]) * FAULT_DURATION_UNITS[match[2] as keyof typeof FAULT_DURATION_UNITS];
  return ms <= MAX_FAULT_DURATION_MS ? ms : undefined;
}

/** One duration, or two as in `50ms-2s`; undefined where a part is none or the range runs backwards. */
export function parseDurationRange(text: string): DurationRange | undefined {
  const [first = '', second = first, ...rest] = text.split('-');
  const fromMs = parseFaultDuration(first);
  const toMs = parseFaultDuration(second);
  if (rest.length > 0 || fromMs === undefined || toMs === undefined || fromMs > toMs) return undefined;
  return { fromMs, toMs };
}
