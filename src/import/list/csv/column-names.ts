import { normalizeSpelling } from '../../entry.ts';

/** Returns the columns of a name, from 0: by exact text first, then by spelling, then by number (`#3`). */
export function columnsNamed(header: readonly string[], wanted: string): number[] {
  const matching = (matches: (name: string) => boolean) =>
    [...header.keys()].filter((column) => matches(header[column] ?? ''));
  const exact = matching((name) => name.trim() === wanted.trim());
  if (exact.length > 0) return exact;
  const similar = matching((name) => normalizeSpelling(name) === normalizeSpelling(wanted));
  const number = Number(/^#([1-9]\d{0,5})$/.exec(wanted)?.[1] ?? 0);
  return similar.length === 0 && number > 0 && number <= header.length ? [number - 1] : similar;
}
