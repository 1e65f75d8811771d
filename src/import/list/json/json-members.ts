/** Position of a member in the text of its object. */
export interface MemberSpan {
  readonly key: string;
  /** The offset of the key's opening quote. */
  readonly start: number;
  /** The offset just after the colon. */
  readonly value: number;
  /** The offset just after the value. */
  readonly end: number;
}

/** Returns the members of the object that `text` is, in order, including duplicate keys. `text` must be valid JSON. */
export function objectMembers(text: string): MemberSpan[] {
  const members: MemberSpan[] = [];
  let at = text.indexOf('{') + 1;
  for (;;) {
    const start = text.indexOf('"', at);
    if (start < 0) return members;
    const keyEnd = endOfString(text, start);
    const value = text.indexOf(':', keyEnd) + 1;
    const end = endOfValue(text, value);
    members.push({ key: String(JSON.parse(text.slice(start, keyEnd))), start, value, end });
    at = end;
  }
}

/** Returns a key that appears more than once in the object that `text` is: `JSON.parse` silently keeps the last one. */
export function findDuplicateKey(text: string, keys: readonly string[]): string | undefined {
  if (!hasMore(text, ':', keys.length)) return undefined;
  const seen = new Set<string>();
  return objectMembers(text).find(({ key }) => seen.size === seen.add(key).size)?.key;
}

/** Each key has one colon: a text with no more colons than keys has no duplicate key. */
function hasMore(text: string, token: string, count: number): boolean {
  let at = -1;
  for (let seen = 0; seen <= count; seen++) {
    at = text.indexOf(token, at + 1);
    if (at < 0) return false;
  }
  return true;
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

/** Returns the offset after the value that starts at or after `from`, without trailing white space. */
function endOfValue(text: string, from: number): number {
  let depth = 0;
  let at = from;
  for (;;) {
    const character = text[at];
    if (character === '"') {
      at = endOfString(text, at);
      continue;
    }
    if (character === '{' || character === '[') depth++;
    else if (character === undefined || ((character === ',' || character === '}' || character === ']') && depth === 0))
      break;
    else if (character === '}' || character === ']') depth--;
    at++;
  }
  return from + text.slice(from, at).trimEnd().length;
}
