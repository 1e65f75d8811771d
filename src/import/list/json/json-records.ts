import { cleanLine, quote } from '../../../output/sanitize.ts';
import { UsageError } from '../../../util/errors.ts';
import { isJsonObject, type JsonObject } from '../../../util/json/json-object.ts';
import { JsonScanError, ListScanner, type ScannedElement } from '../../../util/json/list-scanner.ts';
import { parseJson } from '../../../util/json/parse-json.ts';
import { repeatedKey } from '../../../util/json/repeated-key.ts';
import type { ValidationIssue } from '../../list-row.ts';
import type { FileOptions } from '../../mapping.ts';
import { markNumbers, unmarkNumbers } from '../fields/number-token.ts';
import { MAX_ROW_LENGTH } from '../source/limits.ts';
import {
  CHUNK_BYTES,
  emptyListError,
  type RecordPass,
  type SourcePath,
  type SourceRecord,
} from '../source/source-record.ts';
import type { SourceText } from '../source/text.ts';
import { valueAtPath } from './json-paths.ts';
import { describeOtherList, listNotFoundError, rejectSecondList } from './list-place.ts';
import { describeFailure, describeMore } from './more-pages.ts';
import {
  arrayOfArraysError,
  columnsError,
  hasCommaTooMany,
  keyedByIdError,
  parseFirst,
  programError,
} from './other-json.ts';

/** Bytes at the beginning that show in which notation a list is. */
const SAMPLE_BYTES = 64 * 1024;
/** The size up to which orgadm reads what is next to a list: links to other pages can be long. */
const MAX_MEMBER_BYTES = 64 * 1024;

/**
 * Reads the elements of a JSON or NDJSON list.
 *
 * @throws UsageError with the line of what is not JSON, and for text without a list
 */
export function* readJson({ utf8, shape }: SourceText, options: FileOptions): RecordPass {
  const records = options.records?.split('.');
  const limits = { maxElementBytes: MAX_ROW_LENGTH, maxMemberBytes: MAX_MEMBER_BYTES };
  const scanner = new ListScanner({ shape, records, ...limits });
  let count = 0;
  let firstKeys: readonly string[] = [];
  const read = (element: ScannedElement) => {
    const record = readElement(element, ++count, scanner.listPath);
    if (count === 1) firstKeys = record.keys();
    return record;
  };
  try {
    for (let start = 0; start < utf8.length; start += CHUNK_BYTES)
      yield Array.from(scanner.push(utf8.subarray(start, start + CHUNK_BYTES)), read);
    yield Array.from(scanner.end(), read);
  } catch (error) {
    throw error instanceof JsonScanError ? notJsonError(error, scanner, utf8) : error;
  }
  if (scanner.documents === 0) throw emptyListError();
  if (scanner.listPath === undefined) throw listNotFoundError(scanner, records, utf8);
  rejectSecondList(scanner, records);
  const { members, documents } = scanner;
  const more =
    describeMore(members, { entries: count, pages: documents }) ??
    describeFailure(members) ??
    (records === undefined ? describeOtherList(scanner, firstKeys, utf8) : undefined);
  return { header: undefined, more };
}

function readElement({ bytes, line }: ScannedElement, number: number, listPath: string | undefined): SourceRecord {
  const text = bytes.toString();
  const value = parseListElement(text, line, number);
  const columns = number === 1 ? columnsError(value) : undefined;
  if (columns !== undefined) throw columns;
  if (isJsonObject(value)) return new JsonRecord(line, text, value);
  if (number === 1 && Array.isArray(value) && value.length > 0 && !value.some(Array.isArray))
    throw arrayOfArraysError(line, listPath, value);
  throw new UsageError(
    `line ${line} (entry ${number}): ${quote(text)} is not an object`,
    'A member looks like {"userId": "...", "role": "..."}.',
    'bad-list',
  );
}

/** An object of a JSON list. */
class JsonRecord implements SourceRecord {
  readonly line: number;
  readonly raw: { readonly text: string };
  readonly #object: JsonObject;
  readonly #keys: readonly string[];

  constructor(line: number, text: string, object: JsonObject) {
    this.line = line;
    this.raw = { text };
    this.#object = object;
    this.#keys = Object.keys(object);
  }

  /** A join of two database tables writes a key twice; a person may read the value that `JSON.parse` drops. */
  get issue(): ValidationIssue | undefined {
    const { text } = this.raw;
    if (countQuotes(text) === countQuotes(JSON.stringify(this.#object))) return undefined;
    const key = repeatedKey(text);
    return key === undefined ? undefined : { message: `the key ${quote(key)} occurs twice (remove one of them)` };
  }

  keys(): readonly string[] {
    return this.#keys;
  }

  get(path: SourcePath): unknown {
    return typeof path === 'number' ? this.#object[this.#keys[path] ?? ''] : valueAtPath(this.#object, path);
  }
}

/** Counts quotation marks. If a text has as many as its value, no key occurs twice, and this is faster than to compare keys. */
function countQuotes(json: string): number {
  let count = 0;
  for (let at = json.indexOf('"'); at !== -1; at = json.indexOf('"', at + 1)) count++;
  return count;
}

/**
 * Parses an element of a JSON list.
 *
 * @param line where it starts, from 1
 * @param number its place in the list, from 1
 * @throws UsageError if it is not JSON
 */
function parseListElement(text: string, line: number, number: number): unknown {
  try {
    const marked = markNumbers(text);
    return marked === undefined ? parseJson(text) : unmarkNumbers(parseJson(marked));
  } catch (error) {
    if (hasCommaTooMany(text))
      throw new UsageError(`line ${line} (entry ${number}): there is a comma too many`, COMMA_HINT, 'bad-list');
    const message = `line ${line} (entry ${number}): the element that starts here is not JSON: ${describeReason(error)}`;
    throw programError(text) ?? new UsageError(message, 'Correct the entry, or export the list again.', 'bad-list');
  }
}

const COMMA_HINT = 'Remove it: JSON has commas only between values.';

/** Returns the error for a list that is not JSON outside of its elements. */
function notJsonError({ line, message }: JsonScanError, { listPath }: ListScanner, utf8: Buffer): UsageError {
  const first = listPath === undefined ? parseFirst(utf8) : undefined;
  const known = columnsError(first) ?? keyedByIdError(first) ?? programError(utf8.toString('utf8', 0, SAMPLE_BYTES));
  if (known !== undefined) return known;
  const hint = 'orgadm read the list as JSON. If it is in another format, specify it with --format.';
  const isComma = message.includes('a comma too many');
  return new UsageError(`line ${line}: ${cleanLine(message)}`, isComma ? COMMA_HINT : hint, 'bad-list');
}

/** The parser's message without the excerpt and the position, which is counted from the start of the element. */
function describeReason(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return cleanLine(message.replace(/(?:, "|, \.\.\.).* is not valid JSON$| in JSON at position .*$/s, ''));
}
