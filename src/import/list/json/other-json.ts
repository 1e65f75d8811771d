import { quoteForShell } from '../../../output/sanitize.ts';
import { UsageError } from '../../../util/errors.ts';
import { isJsonObject, type JsonObject } from '../../../util/json/json-object.ts';
import { ListScanner } from '../../../util/json/list-scanner.ts';
import { fieldForSpelling } from '../../new-member.ts';

/**
 * Returns the error for entries that are arrays: rows of cells, as in the API of Google Sheets, or pages of objects, as
 * `gh api --slurp` joins them.
 */
export function arrayOfArraysError(line: number, listPath: string | undefined, first: readonly unknown[]): UsageError {
  const list = jqPath((listPath ?? '').split('.').filter((key) => key !== ''));
  const hint = first.every(isJsonObject)
    ? `Join the pages into one list: jq ${quoteForShell(`${list} | add`)} list.json > people.json`
    : `Convert the rows to CSV: jq -r ${quoteForShell(`${list}[] | @csv`)} list.json > list.csv`;
  return new UsageError(`line ${line}: an entry is an array, not an object with keys`, hint, 'bad-list');
}

/**
 * Returns the error for an object of columns, as pandas writes it: the keys are the columns, whose values are arrays, or objects
 * with the numbers of the rows as keys. Undefined for any other value.
 */
export function columnsError(value: unknown): UsageError | undefined {
  const columns = isJsonObject(value) ? Object.values(value) : [];
  const [first] = columns;
  const rows = Object.keys(isJsonObject(first) || Array.isArray(first) ? first : {});
  const isColumn = (column: unknown) =>
    (isJsonObject(column) || Array.isArray(column)) &&
    Object.keys(column).join() === rows.join() &&
    !Object.values(column).some((cell) => typeof cell === 'object' && cell !== null);
  const isNumbered = rows[0] === '0' && (isJsonObject(first) || rows.length > 1);
  if (columns.length < 2 || !isNumbered || !columns.every(isColumn)) return undefined;
  return new UsageError(
    'the list is an object with the values of each column, not an array of entries',
    'Write it with orient="records", as in pandas: df.to_json("members.json", orient="records")',
    'bad-list',
  );
}

/** Returns the error for text in the notation of a programming language, or that programs take for JSON; undefined for any other text. */
export function programError(text: string): UsageError | undefined {
  const json = withoutStrings(text);
  const isPython = /^[\s[({]*'/.test(text) || /[:[,]\s*(?:True|False|None)\b/.test(json);
  if (isPython)
    return new UsageError(
      'the list is written as in Python (single quotes, True, None), not as JSON',
      'In Python, write it with json.dump(people, file). To convert a file: ' +
        `python3 -c ${quoteForShell('import ast, json, sys; print(json.dumps(ast.literal_eval(sys.stdin.read())))')} < list.txt > list.json`,
      'bad-list',
    );
  if (/[:[,]\s*-?(?:NaN|Infinity)\b/.test(json))
    return new UsageError(
      'the list has NaN or Infinity, which are not JSON',
      'Write null instead. In pandas, to_json does: df.to_json("members.json", orient="records")',
      'bad-list',
    );
  if (/\/[/*]/.test(json))
    return new UsageError('the list has comments, which JSON does not allow', 'Remove them.', 'bad-list');
  const isJavaScript = /^[\s[]*\{\s*[A-Za-z_$][\w$]*\s*:/.test(text);
  if (!isJavaScript) return undefined;
  return new UsageError(
    'the list is written as in JavaScript (keys without quotes), not as JSON',
    'In JavaScript, write it with JSON.stringify(people).',
    'bad-list',
  );
}

/** Whether a text has a comma too many outside of its strings, such as `{"a":1,}`. */
export function hasCommaTooMany(json: string): boolean {
  return /[[{,]\s*,|,\s*[\]}]/.test(withoutStrings(json));
}

/** Empties the strings of a text; the last one may lack its end. */
function withoutStrings(json: string): string {
  return json.replace(/"(?:[^"\\]|\\.)*(?:"|$)/g, '""');
}

/** Objects in objects that are searched. */
const MAX_DEPTH = 6;
const MAX_PARSED_BYTES = 64 * 1024 ** 2;

/** Parses the first JSON text of a list; undefined if that is not possible. */
export function parseFirst(utf8: Buffer): unknown {
  if (utf8.length > MAX_PARSED_BYTES) return undefined;
  try {
    const scanner = new ListScanner({ shape: 'values', maxElementBytes: MAX_PARSED_BYTES });
    for (const { bytes } of scanner.push(utf8)) return JSON.parse(bytes.toString());
  } catch {
    // Then nothing is known about its contents.
  }
  return undefined;
}

/** Returns the paths of the arrays of objects in a value. Keys with dots are left out, because a path could not name them. */
export function pathsOfArrays(value: unknown): string[] {
  return [...objectsIn(value)]
    .flatMap(({ path, object }) => Object.entries(object).map(([key, inner]) => ({ path: [...path, key], inner })))
    .filter(
      ({ path, inner }) => Array.isArray(inner) && inner.some(isJsonObject) && !path.some((key) => key.includes('.')),
    )
    .map(({ path }) => path.join('.'));
}

/** Returns the error for an object with people under their IDs; undefined for any other value. */
export function keyedByIdError(value: unknown): UsageError | undefined {
  const found = [...objectsIn(value)].find(({ object }) => isKeyedById(object));
  if (found === undefined) return undefined;
  const filter = `[${jqPath(found.path)} | to_entries[] | {userId: .key} + .value]`;
  return new UsageError(
    'the list is an object with an entry under each key, not an array',
    `If the keys are the user IDs, convert it to an array: jq ${quoteForShell(filter)} list.json > members.json`,
    'bad-list',
  );
}

function isKeyedById(object: JsonObject): boolean {
  const values = Object.values(object);
  const [first, second] = values;
  if (!values.every(isJsonObject) || !isJsonObject(first)) return false;
  const keys = Object.keys(first);
  return (
    keys.some((key) => fieldForSpelling(key) !== undefined) ||
    (isJsonObject(second) && keys.some((key) => key in second))
  );
}

/** Yields a value and the objects within it, the outer ones first, with the keys that lead to them. */
function* objectsIn(
  value: unknown,
  path: readonly string[] = [],
): Generator<{ path: readonly string[]; object: JsonObject }> {
  if (!isJsonObject(value) || path.length > MAX_DEPTH) return;
  yield { path, object: value };
  for (const [key, inner] of Object.entries(value)) yield* objectsIn(inner, [...path, key]);
}

/** Returns a path of keys as jq has it. */
function jqPath(path: readonly string[]): string {
  const keys = path.map((key) => (/^[A-Za-z_]\w*$/.test(key) ? `.${key}` : `.${JSON.stringify(key)}`));
  return keys.join('') || '.';
}
