/** Matches what delimits strings in JSON text. A pattern of entire strings would fail for very long ones. */
const MARK = /\\.|"/gs;

/** Replaces the parts of JSON text that are outside its strings. */
export function replaceOutsideStrings(json: string, replace: (part: string) => string): string {
  const parts: string[] = [];
  let start = 0;
  let isInString = false;
  for (const { 0: mark, index } of json.matchAll(MARK)) {
    if (mark !== '"') continue;
    const end = isInString ? index + 1 : index;
    const part = json.slice(start, end);
    parts.push(isInString ? part : replace(part));
    start = end;
    isInString = !isInString;
  }
  return parts.join('') + replace(json.slice(start));
}
