/** Where a text stops being JSON. The message repeats nothing of the text but keys: values may be secrets. */
export interface JsonSyntaxError {
  /** The physical line, 1-based. */
  line: number;
  message: string;
}

const TOKEN =
  /([{}[\],:])|("(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)/y;
const BLANK = /[ \t\r\n]*/y;

type Expected = 'value' | 'value or ]' | 'key' | 'key or }' | 'colon' | 'comma';

/** An array or object that is not closed yet, with the keys of the object so far. */
type Open = { end: ']' } | { end: '}'; keys: Set<string> };

/**
 * Finds the first place where a text is not JSON, or where an object has a duplicate key. `JSON.parse` quotes the text in
 * its message, names no line and silently keeps the last of two equal keys.
 *
 * @returns undefined for valid JSON without duplicate keys
 */
export function findJsonSyntaxError(text: string): JsonSyntaxError | undefined {
  const open: Open[] = [];
  let expected: Expected = 'value';
  let at = 0;
  const skipBlanks = () => {
    BLANK.lastIndex = at;
    at += BLANK.exec(text)?.[0].length ?? 0;
  };
  const errorAt = (message: string): JsonSyntaxError => ({ line: text.slice(0, at).split('\n').length, message });

  for (skipBlanks(); at < text.length; skipBlanks()) {
    const inside = open.at(-1);
    if (expected === 'comma' && inside === undefined) return errorAt('unexpected text after the end');
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(text)?.[0] ?? '';
    const next = nextExpected(token, expected, inside);
    if (next === undefined) return errorAt(`expected ${describe(expected, inside)}`);
    if (next === 'repeated') return errorAt(`duplicate key ${token}`);
    if (token === '{') open.push({ end: '}', keys: new Set() });
    else if (token === '[') open.push({ end: ']' });
    else if (token === '}' || token === ']') open.pop();
    expected = next;
    at += token.length;
  }
  return expected === 'comma' && open.length === 0 ? undefined : errorAt('unexpected end of the text');
}

/** What is expected after a token, or undefined where the token is not what was expected. */
function nextExpected(token: string, expected: Expected, inside: Open | undefined): Expected | 'repeated' | undefined {
  const closes = token === inside?.end;
  switch (expected) {
    case 'comma':
      if (closes) return 'comma';
      if (token !== ',') return undefined;
      return inside?.end === '}' ? 'key' : 'value';
    case 'colon':
      return token === ':' ? 'value' : undefined;
    case 'key':
    case 'key or }':
      if (closes && expected === 'key or }') return 'comma';
      return token.startsWith('"') && inside?.end === '}' ? afterKey(token, inside.keys) : undefined;
    default:
      if (closes && expected === 'value or ]') return 'comma';
      if (token === '{') return 'key or }';
      if (token === '[') return 'value or ]';
      return /^["\w-]/.test(token) ? 'comma' : undefined;
  }
}

function afterKey(token: string, keys: Set<string>): Expected | 'repeated' {
  const key = String(JSON.parse(token));
  if (keys.has(key)) return 'repeated';
  keys.add(key);
  return 'colon';
}

function describe(expected: Expected, inside: Open | undefined): string {
  if (expected === 'comma') return `a comma or ${inside?.end}`;
  return { value: 'a value', 'value or ]': 'a value or ]', key: 'a key', 'key or }': 'a key or }', colon: 'a colon' }[
    expected
  ];
}
