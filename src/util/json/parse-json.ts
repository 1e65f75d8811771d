/** Upper bound on nesting, because later code may recurse. */
export const MAX_JSON_DEPTH = 64;

/** JavaScript can represent every integer up to this number exactly, and prints it in digits. */
const MAX_EXACT = 1e15;

/** Matches each number of a JSON text, outside its strings. */
const NUMBER = /-?\d[\d.eE+-]*/g;

/**
 * Parses JSON text. Integers that a JavaScript number would change, such as identifiers beyond 2^53, and numbers beyond its
 * range become strings of their digits.
 *
 * @throws SyntaxError for anything that is not JSON, RangeError for more than 64 levels
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  // A walk takes less time than a search in the text.
  if (!mayBeInexact(value, MAX_JSON_DEPTH)) return value;
  const quoteInexact = (part: string) => part.replace(NUMBER, (token) => (isExact(token) ? token : `"${token}"`));
  return JSON.parse(replaceOutsideStrings(text, quoteInexact));
}

/** Whether a number in the value is too large to be certain of its digits. Throws RangeError for a value with more levels. */
function mayBeInexact(value: unknown, levels: number): boolean {
  if (typeof value === 'number') return Math.abs(value) >= MAX_EXACT;
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) throw new RangeError(`it has more than ${MAX_JSON_DEPTH} levels`);
  // Every member is visited, for the sake of the levels. A loop over the keys creates no list of the members.
  let isInexact = false;
  for (const key in value) if (mayBeInexact(value[key as keyof typeof value], levels - 1)) isInexact = true;
  return isInexact;
}

/** Whether a number of JSON text survives `JSON.parse`. */
function isExact(token: string): boolean {
  const isInteger = /^-?\d+$/.test(token);
  return isInteger ? String(Number(token)) === token || token === '-0' : Number.isFinite(Number(token));
}

/** Returns whether a text is JSON. */
export function isJson(text: string): boolean {
  try {
    parseJson(text);
    return true;
  } catch {
    return false;
  }
}

/** Matches what delimits strings in JSON text. A pattern of entire strings would fail for very long ones. */
const QUOTE = /\\.|"/gs;

/** Replaces the parts of JSON text that are outside its strings. */
function replaceOutsideStrings(json: string, replace: (part: string) => string): string {
  const parts: string[] = [];
  let start = 0;
  let isInString = false;
  for (const { 0: mark, index } of json.matchAll(QUOTE)) {
    if (mark !== '"') continue;
    const end = isInString ? index + 1 : index;
    const part = json.slice(start, end);
    parts.push(isInString ? part : replace(part));
    start = end;
    isInString = !isInString;
  }
  return parts.join('') + replace(json.slice(start));
}
