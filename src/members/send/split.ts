import type { SendRow } from './attempt.ts';
import type { Verdict } from './verdict.ts';

/** Rows that go out in one request, and what happened to them before. */
export interface Group {
  readonly rows: readonly SendRow[];
  /** The service's words where they were refused together with others. */
  readonly refused?: string;
  /** Whether the words named each of them: then it is worth a request to try each one alone. */
  readonly named?: boolean;
  /** The size they were cut to, for the service takes no more at once. */
  readonly cut?: number;
}

/**
 * Takes a refused group of more than one row apart. The groups stand in the order in which they are to be sent, and
 * hold every row once.
 *
 * - Too large: pieces of the size that the words name, else halves.
 * - Refused for entries that the words name: the others first, then the named ones by themselves.
 * - Named ones of which the words name every one again: each alone.
 * - Refused for anything else: halves.
 */
export function split(group: Group, verdict: Extract<Verdict, { kind: 'too-large' | 'refused' }>): Group[] {
  const { rows } = group;
  const half = Math.ceil(rows.length / 2);
  if (verdict.kind === 'too-large') {
    const size = verdict.limit ?? half;
    const refused = verdict.sure ? {} : { refused: verdict.words };
    return pieces(rows, size).map((piece) => ({ ...group, ...refused, rows: piece, cut: size }));
  }
  const refused = verdict.words;
  const named = new Set(verdict.named);
  if (named.size > 0 && named.size < rows.length) {
    const others = rows.filter((_, at) => !named.has(at));
    const guilty = rows.filter((_, at) => named.has(at));
    return [
      { ...group, rows: others, refused, named: false },
      { ...group, rows: guilty, refused, named: true },
    ];
  }
  const again = group.named === true && named.size === rows.length;
  return pieces(rows, again ? 1 : half).map((piece) => ({ ...group, rows: piece, refused, named: again }));
}

function pieces(rows: readonly SendRow[], size: number): SendRow[][] {
  const found: SendRow[][] = [];
  for (let at = 0; at < rows.length; at += size) found.push(rows.slice(at, at + size));
  return found;
}
