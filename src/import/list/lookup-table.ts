import path from 'node:path';
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isJsonObject, type JsonObject } from '../../output/json.ts';
import { copyText } from '../../util/copy-text.ts';
import { UsageError } from '../../util/errors.ts';
import { JsonScanError, ListScanner, type ScannedElement } from '../../util/json/list-scanner.ts';
import { normalizeSpelling } from '../entry.ts';
import { columnsNamed } from './csv/column-names.ts';
import { readCsvRecords } from './csv/csv-records.ts';
import { readSheetRecords } from './csv/sheet-records.ts';
import type { LookupTable } from './field-rule.ts';
import { valueAtPath } from './json/json-paths.ts';
import { notJsonError, parseElement } from './json/parse-element.ts';
import { MAX_ROWS, tooManyRows } from './list-bytes.ts';
import type { ListOptions, LookupSource } from './list-options.ts';
import { MAX_ROW_LENGTH, quote, quoteAll } from './list-row.ts';
import { type ListText, readListText, withListName } from './list-text.ts';

/** A second list in memory. */
export interface LoadedLookup {
  readonly source: LookupSource;
  /** SHA-256 of its bytes, as 64 hex digits. */
  readonly digest: string;
  /** The text to send by the text in the first list, normalized; empty if it has none, undefined if it has several. */
  readonly texts: ReadonlyMap<string, string | undefined>;
}

/** Options for a second list: orgadm detects everything but its two columns. */
const DETECTED: ListOptions = {
  map: new Map(),
  lookups: new Map(),
  valueMap: new Map(),
  defaults: new Map(),
  omit: new Set(),
  extraFields: [],
  ignoreExtraColumns: true,
};

/** Rows to read before other work runs. */
const PAIRS_PER_TURN = 4096;

/**
 * Reads a second list: CSV, JSON or a workbook.
 *
 * @throws UsageError if it cannot be read, or does not have the columns
 */
export async function loadLookup(source: LookupSource): Promise<LoadedLookup> {
  const list = await readListText({ path: source.file, stdin: Readable.from([]) }, DETECTED);
  const texts = new Map<string, string | undefined>();
  let count = 0;
  try {
    const pairs = list.format === 'csv' || list.format === 'tsv' ? csvPairs(list, source) : jsonPairs(list, source);
    for (const [from, to] of pairs) {
      if (++count % PAIRS_PER_TURN === 0) await nextTurn();
      const key = normalizeText(from);
      const known = texts.get(key);
      const isKnown = texts.has(key) && known !== '';
      if (key === '' || (isKnown && to === '')) continue;
      texts.set(copyText(key), isKnown && known !== to ? undefined : copyText(to));
      if (texts.size > MAX_ROWS) throw tooManyRows('the list');
    }
  } catch (error) {
    throw error instanceof UsageError ? withListName(list.name, error) : error;
  }
  return { source, digest: list.digest, texts };
}

/** Starts a pass over the first list. */
export function createLookupTable({ source, texts }: LoadedLookup): LookupTable {
  const file = path.basename(source.file);
  let [found, missing] = [0, 0];
  return {
    find(text) {
      const key = normalizeText(text);
      const translated = texts.get(key);
      if (translated) {
        found++;
        return { text: translated };
      }
      missing++;
      if (!texts.has(key)) return { issue: `is not in ${file}` };
      return { issue: `has ${translated === '' ? 'no' : 'several values of'} ${quote(source.to)} in ${file}` };
    },
    result: () => ({ ...source, found, missing }),
  };
}

/** Removes differences in case and in blanks around a text, which addresses of one person may have. */
function normalizeText(text: string): string {
  return text.trim().toLowerCase();
}

type Pairs = Generator<[from: string, to: string]>;

function* csvPairs({ texts, isSheet, delimiter, skipLines }: ListText, { from, to }: LookupSource): Pairs {
  let columns: readonly [from: number, to: number] | undefined;
  for (const records of isSheet
    ? readSheetRecords(texts(), skipLines)
    : readCsvRecords(texts(), delimiter, skipLines)) {
    for (const { cells } of records) {
      if (columns === undefined) columns = [columnOf(cells, from), columnOf(cells, to)];
      else yield [cells[columns[0]] ?? '', cells[columns[1]]?.trim() ?? ''];
    }
  }
}

function columnOf(header: readonly string[], name: string): number {
  const [column, second] = columnsNamed(header, name);
  if (column === undefined) throw noColumnError(name, header);
  if (second === undefined) return column;
  throw new UsageError(
    `columns ${column + 1} and ${second + 1} are both named ${quote(name)}`,
    `Name one by its number in --lookup: #${column + 1}`,
    'bad-columns',
  );
}

function noColumnError(name: string, names: Iterable<string>): UsageError {
  return new UsageError(
    `there is no column ${quote(name)}`,
    `Correct --lookup: the columns are ${quoteAll(names)}.`,
    'bad-columns',
  );
}

function* jsonPairs(list: ListText, { from, to }: LookupSource): Pairs {
  const names = new Set<string>();
  const [read, hasColumns] = [new Set<string>(), () => read.has(from) && read.has(to)];
  for (const object of jsonObjects(list)) {
    if (names.size < 100) for (const name of Object.keys(object)) names.add(name);
    const values = [from, to].map((name) => {
      const text = textAt(object, name);
      if (text !== undefined) read.add(name);
      return text ?? '';
    });
    yield values as [string, string];
  }
  if (!hasColumns()) throw noColumnError(read.has(from) ? to : from, names);
}

function* jsonObjects({ texts, shape }: ListText): Generator<JsonObject> {
  const scanner = new ListScanner({ shape, maxElementBytes: MAX_ROW_LENGTH });
  let entry = 0;
  try {
    for (const element of scanAll(scanner, texts())) {
      const value = parseElement(element.bytes.toString(), element.line, ++entry);
      if (isJsonObject(value)) yield value;
    }
  } catch (error) {
    throw error instanceof JsonScanError ? notJsonError(error) : error;
  }
  if (scanner.listPath === undefined)
    throw new UsageError('the JSON has no list under a usual key', undefined, 'bad-list');
}

function* scanAll(scanner: ListScanner, texts: Iterable<string>): Generator<ScannedElement> {
  for (const text of texts) yield* scanner.push(Buffer.from(text));
  yield* scanner.end();
}

/** Returns the text at a key in any usual spelling, or at a dotted path; undefined if there is none. */
function textAt(object: JsonObject, name: string): string | undefined {
  const key = Object.keys(object).find((candidate) => normalizeSpelling(candidate) === normalizeSpelling(name));
  const value = valueAtPath(object, name.split('.')) ?? (key === undefined ? undefined : object[key]);
  return typeof value === 'object' || value === undefined ? undefined : String(value).trim();
}
