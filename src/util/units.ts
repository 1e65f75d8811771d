import { UsageError } from './errors.ts';

/** Milliseconds in each unit of a duration. */
const DURATION_UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Longest delay that a Node timer supports, rounded down to days. */
const MAX_DURATION_MS = 24 * 24 * 3_600_000;

/**
 * Reads a duration such as `500ms`, `10s`, `1.5m` or `2h`; `0` needs no unit.
 *
 * @param name the flag or variable, for the error
 * @returns milliseconds
 * @throws UsageError for anything else, such as `10` or `10abc`
 */
export function parseDuration(text: string, name: string): number {
  const ms = durationMs(text);
  if (ms === undefined) {
    throw new UsageError(`${name}: "${text}" is not a duration`, 'Use a number with a unit, such as 10s, 15m, or 2h.');
  }
  if (ms > MAX_DURATION_MS) throw new UsageError(`${name}: "${text}" is longer than 24 days`);
  return ms;
}

/** Returns the milliseconds of a duration such as `1.5m`; undefined for any other text. */
export function durationMs(text: string): number | undefined {
  const [, count, name = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text.trim()) ?? [];
  const unit = DURATION_UNITS[name];
  if (count === undefined || unit === undefined) return text.trim() === '0' ? 0 : undefined;
  return Math.round(Number(count) * unit);
}

const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** Renders a duration for people: `800 ms`, `42 s`, `4 m 12 s`, `2 h 7 m`. */
export function renderDuration(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} m ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} m`;
}

/** Formats a count with thousands separators: `1,000,000`. `toLocaleString` takes 20 ms to load its locale data. */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** Joins items with commas; of more than `max`, the first, and how many more there are: `P1, P2 and 3 more`. */
export function joinFirst(items: readonly string[], max: number): string {
  const rest = items.length - max;
  return `${items.slice(0, max).join(', ')}${rest > 0 ? ` and ${formatCount(rest)} more` : ''}`;
}

/** Renders a count with its noun: `1 row`, `2,899 rows`. The plural is the noun with an s by default. */
export function countOf(count: number, noun: string, plural = `${noun}s`): string {
  return `${formatCount(count)} ${count === 1 ? noun : plural}`;
}

/**
 * Formats a time for people, in the time zone of the machine: `2026-11-22 14:03 UTC`, `2026-11-22 09:03 UTC-05:00`. Returns an
 * empty text for a time that is not valid.
 */
export function formatTime(ms: number): string {
  const date = new Date(ms);
  if (Number.isNaN(date.getTime())) return '';
  const aheadMinutes = -date.getTimezoneOffset();
  const local = new Date(ms + aheadMinutes * 60_000).toISOString();
  const [hours, minutes] = [Math.floor(Math.abs(aheadMinutes) / 60), Math.abs(aheadMinutes) % 60].map((part) =>
    String(part).padStart(2, '0'),
  );
  const offset = aheadMinutes === 0 ? '' : `${aheadMinutes < 0 ? '-' : '+'}${hours}:${minutes}`;
  return `${local.slice(0, 16).replace('T', ' ')} UTC${offset}`;
}

const TRUE = ['true', 'yes', 'on', '1'];
const FALSE = ['false', 'no', 'off', '0'];

/**
 * Parses a boolean: true, yes, on, 1 or false, no, off, 0, in any case.
 *
 * @param name the option or setting, for the error
 * @throws UsageError for anything else
 */
export function parseBoolean(text: string, name: string): boolean {
  const word = text.trim().toLowerCase();
  if (TRUE.includes(word)) return true;
  if (FALSE.includes(word)) return false;
  throw new UsageError(
    `${name}: "${text}" is not a boolean`,
    'Use true or false. orgadm also accepts yes, no, on, off, 1, and 0.',
  );
}
