/** The delimiters that a CSV list may use. */
export type Delimiter = ',' | ';' | '\t';

const CANDIDATES: readonly Delimiter[] = [',', ';', '\t'];

/** The delimiter of a CSV list: the one that stands most often outside quotes in its first record; a comma when none does. */
export function detectDelimiter(head: string): Delimiter {
  const counts: Record<string, number> = { ',': 0, ';': 0, '\t': 0 };
  let quoted = false;
  let begun = false;
  for (const character of head) {
    if (character === '"') quoted = !quoted;
    if (quoted) continue;
    if (character === '\n' || character === '\r') {
      if (begun) break;
      continue;
    }
    const count = counts[character];
    if (count !== undefined) counts[character] = count + 1;
    else if (character !== ' ') begun = true;
  }
  const most = Math.max(...Object.values(counts));
  return CANDIDATES.find((candidate) => counts[candidate] === most) ?? ',';
}
