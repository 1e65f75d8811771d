/** Encodes row numbers as ranges: `1-500,503`. Ascending numbers have the shortest text; any order is kept. */
export function encodeRanges(rows: readonly number[]): string {
  const parts: string[] = [];
  for (let at = 0; at < rows.length; ) {
    const first = rows[at] ?? 0;
    let last = first;
    while (rows[++at] === last + 1) last++;
    parts.push(first === last ? String(first) : `${first}-${last}`);
  }
  return parts.join(',');
}

/** Decodes what `encodeRanges` returned. Throws RangeError for anything else. */
export function* decodeRanges(text: string): Generator<number> {
  if (text === '') return;
  for (const part of text.split(',')) {
    const match = /^(\d{1,15})(?:-(\d{1,15}))?$/.exec(part);
    if (match === null) throw new RangeError(`not a range of rows: ${part}`);
    const last = Number(match[2] ?? match[1]);
    for (let row = Number(match[1]); row <= last; row++) yield row;
  }
}
