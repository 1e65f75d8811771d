import { quote } from '../../../output/sanitize.ts';
import { UsageError } from '../../../util/errors.ts';
import { isJsonObject, type JsonObject } from '../../../util/json/json-object.ts';
import { JsonScanError, ListScanner, type ScannedElement } from '../../../util/json/list-scanner.ts';
import type { ListOptions } from '../../list-options.ts';
import { MAX_ROW_LENGTH } from '../source/list-limits.ts';
import type { ListText } from '../source/list-text.ts';
import type { RecordPass, SourcePath, SourceRecord } from '../source/source-record.ts';
import { CHUNK_BYTES, emptyListError } from '../source/source-record.ts';
import { valueAtPath } from './json-paths.ts';
import { describeMore, listNotFoundError, rejectSecondList } from './list-place.ts';
import { notJsonError, parseListElement } from './parse-element.ts';

/**
 * Reads the elements of a JSON or NDJSON list.
 *
 * @throws UsageError with the line of what is not JSON, and for text without a list
 */
export function* readJson({ utf8, shape }: ListText, { records }: ListOptions): RecordPass {
  const scanner = new ListScanner({ shape, records, maxElementBytes: MAX_ROW_LENGTH });
  let count = 0;
  const read = (element: ScannedElement) => readElement(element, ++count);
  try {
    for (let start = 0; start < utf8.length; start += CHUNK_BYTES)
      yield Array.from(scanner.push(utf8.subarray(start, start + CHUNK_BYTES)), read);
    yield Array.from(scanner.end(), read);
  } catch (error) {
    throw error instanceof JsonScanError ? notJsonError(error) : error;
  }
  if (scanner.documents === 0) throw emptyListError();
  if (scanner.listPath === undefined) throw listNotFoundError(utf8, records);
  rejectSecondList(scanner, records);
  return { header: undefined, more: describeMore(scanner.members, count) };
}

function readElement({ bytes, line }: ScannedElement, entry: number): SourceRecord {
  const text = bytes.toString();
  const value = parseListElement(text, line, entry);
  if (isJsonObject(value)) return new JsonRecord(line, text, value);
  throw new UsageError(
    `line ${line} (entry ${entry}): ${quote(text)} is not an object`,
    'A member looks like {"userId": "...", "role": "..."}.',
    'bad-list',
  );
}

/** An object of a JSON list. */
class JsonRecord implements SourceRecord {
  readonly line: number;
  readonly raw: { readonly text: string };
  readonly issue = undefined;
  readonly #object: JsonObject;
  readonly #keys: readonly string[];

  constructor(line: number, text: string, object: JsonObject) {
    this.line = line;
    this.raw = { text };
    this.#object = object;
    this.#keys = Object.keys(object);
  }

  keys(): readonly string[] {
    return this.#keys;
  }

  get(path: SourcePath): unknown {
    return typeof path === 'number' ? this.#object[this.#keys[path] ?? ''] : valueAtPath(this.#object, path);
  }
}
