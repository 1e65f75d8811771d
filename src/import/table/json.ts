import { quote } from '../../output/sanitize.ts';
import { UsageError } from '../../util/errors.ts';
import { describeJsonError } from '../../util/json/parse-json-file.ts';
import { countOf } from '../../util/units.ts';
import { sendableText } from '../../util/visible-text.ts';
import { emptyList, type TableContent } from './header.ts';
import { type Cell, type FileOptions, type ListFormat, type Row, Unreadable } from './table.ts';

/** Upper bound on nesting, because the code below recurses. */
const MAX_DEPTH = 64;
const MAX_COLUMNS = 10_000;
/** Elements in a chunk. */
const CHUNK_ROWS = 1_000;

/** A plain object of JSON. */
type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Reads a JSON list: an array of objects, or one object a line. Inner values are columns with dotted names (`profile.login`,
 * `roles.0`).
 *
 * @throws UsageError if it is not JSON, or not a list; for a document, it lists the arrays that `--records` can name
 */
export function jsonTable(utf8: Buffer, format: ListFormat, { records, ...options }: FileOptions): TableContent {
  const text = utf8.toString();
  if (text.trim() === '') throw emptyList();
  if (format === 'ndjson' || (records === undefined && options.format === undefined && isObjectALine(text)))
    return { ...tableOf(parseLines(text)), position: 'line' };
  const { list, beside } = findList(parseDocument(text), records);
  return {
    ...tableOf(list.map((value, at) => ({ value: asObject(value, `element ${at + 1}`), line: at + 1 }))),
    position: 'row',
    besideList: beside,
  };
}

/** Whether the first line is an object, and more lines follow. */
function isObjectALine(text: string): boolean {
  const [, first = '', rest = ''] = /^\s*([^\r\n]*)([\s\S]*)/.exec(text) ?? [];
  if (!first.startsWith('{') || rest.trim() === '') return false;
  try {
    JSON.parse(first);
    return true;
  } catch {
    return false;
  }
}

function parseDocument(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const problem = describeJsonError(text, error);
    const hint = problem.includes('after JSON') ? oneList(text) : 'Check the export.';
    throw new UsageError(`the list is not JSON: ${problem}`, hint, 'bad-list');
  }
}

/** Says how to make one list of several documents. `jq -s add` would keep only the last of objects that have the same members. */
function oneList(text: string): string {
  return text.trimStart().startsWith('[')
    ? 'Make one list of the documents: jq -s add'
    : 'Put the people of all documents into one array.';
}

interface Element {
  readonly value: JsonObject;
  readonly line: number;
}

function parseLines(text: string): Element[] {
  const elements: Element[] = [];
  const lines = text.split(/\r\n|\n|\r/);
  for (const [at, json] of lines.entries()) {
    if (json.trim() === '') continue;
    let value: unknown;
    try {
      value = JSON.parse(json);
    } catch (error) {
      throw new UsageError(
        `line ${at + 1} is not JSON: ${describeJsonError(json, error).replace(/^line 1, /, '')}`,
        'In NDJSON, each line is one object. If the list is one JSON document, use --format json.',
        'bad-list',
      );
    }
    elements.push({ value: asObject(value, `line ${at + 1}`), line: at + 1 });
  }
  return elements;
}

function asObject(value: unknown, place: string): JsonObject {
  if (isObject(value)) return value;
  const kind = Array.isArray(value) ? 'an array' : value === null ? 'null' : `a ${typeof value}`;
  throw new UsageError(
    `${place} is ${kind}, not an object`,
    'Each person must be an object with named values.',
    'bad-list',
  );
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Finds the array of a document, and the plain values next to it that are not blank. */
function findList(document: unknown, records: string | undefined): { list: unknown[]; beside: string[] } {
  if (Array.isArray(document)) {
    if (records === undefined) return { list: document, beside: [] };
    throw new UsageError(`--records ${records}: the document is an array itself`, 'Remove --records.');
  }
  if (!isObject(document)) throw new UsageError('the list is JSON, but not an array of objects', undefined, 'bad-list');
  const arrays: [path: string, list: unknown[]][] = [];
  const plain: [path: string, value: unknown][] = [];
  collect(document, [], arrays, plain);
  const found = arrays.find(([path]) => path === records)?.[1];
  if (found === undefined) throw noArray(records, arrays);
  const beside = plain.filter(([, value]) => value !== null && value !== '');
  return {
    list: found,
    beside: beside.map(([path, value]) => `${path} ${typeof value === 'string' ? quote(value) : String(value)}`),
  };
}

function noArray(records: string | undefined, arrays: readonly [path: string, list: unknown[]][]): UsageError {
  const known = arrays.map(([path, list]) => `${path} (${countOf(list.length, 'element')})`).join(', ');
  const problem =
    records === undefined ? 'the list is a JSON object, not an array' : `--records: no array is at ${quote(records)}`;
  const [first] = arrays;
  if (first === undefined)
    return new UsageError(problem, 'It contains no array. If it is one person, use --format ndjson.', 'bad-list');
  return new UsageError(
    problem,
    `Name the array that has the people: --records ${first[0]}. Its arrays: ${known}.`,
    'bad-list',
  );
}

/** Collects the arrays and the plain values of a document, with their paths; not those within arrays. */
function collect(
  value: JsonObject,
  path: readonly string[],
  arrays: [string, unknown[]][],
  plain: [string, unknown][],
): void {
  if (path.length > MAX_DEPTH) throw tooDeep();
  for (const [key, inner] of Object.entries(value)) {
    const name = [...path, key].join('.');
    if (Array.isArray(inner)) arrays.push([name, inner]);
    else if (isObject(inner)) collect(inner, [...path, key], arrays, plain);
    else plain.push([name, inner]);
  }
}

function tooDeep(): UsageError {
  return new UsageError(`the list has more than ${MAX_DEPTH} levels of nesting`, undefined, 'bad-list');
}

/** Where a value of each element is: its column if it is plain, and what is below it if it is an object or an array. */
interface Place {
  readonly name: string;
  column: number | undefined;
  readonly below: Map<string, Place>;
}

function tableOf(elements: readonly Element[]): Pick<TableContent, 'columns' | 'chunks'> {
  const root: Place = { name: '', column: undefined, below: new Map() };
  const columns: string[] = [];
  for (const { value } of elements) addColumns(value, root, columns, 0);
  return {
    columns,
    *chunks() {
      for (let start = 0; start < elements.length; start += CHUNK_ROWS)
        yield elements.slice(start, start + CHUNK_ROWS).map(({ value, line }): Row => {
          const cells: Cell[] = new Array<Cell>(columns.length).fill(undefined);
          fillCells(value, root, cells);
          return { line, cells, problem: undefined };
        });
    },
  };
}

/** Adds the columns that an element has in addition to those before. A blank object or array is a blank value. */
function addColumns(value: unknown, place: Place, columns: string[], depth: number): void {
  if (depth > MAX_DEPTH) throw tooDeep();
  let isPlain = true;
  if (typeof value === 'object' && value !== null) {
    // A loop over the keys creates no list of the members.
    for (const key in value) {
      isPlain = false;
      let below = place.below.get(key);
      if (below === undefined) {
        const name = sendableText(key);
        below = { name: depth === 0 ? name : `${place.name}.${name}`, column: undefined, below: new Map() };
        place.below.set(key, below);
      }
      addColumns(value[key as keyof typeof value], below, columns, depth + 1);
    }
  }
  if (!isPlain || place.column !== undefined || depth === 0) return;
  if (columns.length === MAX_COLUMNS)
    throw new UsageError(`the list has more than ${MAX_COLUMNS} different names`, undefined, 'bad-list');
  place.column = columns.push(place.name) - 1;
}

function fillCells(value: unknown, { column, below }: Place, cells: Cell[]): void {
  if (typeof value === 'object' && value !== null) {
    for (const key in value) {
      const place = below.get(key);
      if (place !== undefined) fillCells(value[key as keyof typeof value], place, cells);
    }
  } else if (column !== undefined) cells[column] = cellOf(value);
}

function cellOf(value: unknown): Cell {
  if (typeof value === 'string' || value === null || value === undefined) return value ?? undefined;
  if (typeof value === 'number' && !Number.isSafeInteger(value))
    return new Unreadable(String(value), 'is a number with a fraction or beyond 2^53 (write it in quotes)');
  return String(value);
}
