import { type FieldKind, fieldForSpelling, type MemberField } from '../entry.ts';
import { hasList, type JsonShape } from './json/json-elements.ts';

/** How a list is written. */
export type ListFormat = 'csv' | 'tsv' | 'json' | 'ndjson';

/** The list formats, in the order in which help names them. */
export const LIST_FORMATS: readonly ListFormat[] = ['csv', 'tsv', 'json', 'ndjson'];

/** Where a field is read from. */
export interface FieldSource {
  /** A column, a column number (`#3`), a JSON key or a dotted path. */
  readonly name: string;
  /** Whether the list holds the opposite of the field. */
  readonly isInverted: boolean;
}

/** A field that the interface does not name, for a service that knows it. */
export interface ExtraField {
  readonly field: string;
  readonly kind: FieldKind;
  readonly source: FieldSource;
}

/** How a list is to be read. What is undefined is detected. */
export interface ListOptions {
  readonly format?: ListFormat | undefined;
  /** A single character. */
  readonly delimiter?: string | undefined;
  /** A name that `TextDecoder` knows. */
  readonly encoding?: string | undefined;
  /** The physical line of the header, from 1; the lines before it are skipped. */
  readonly headerRow?: number | undefined;
  /** The names of the columns of a list without a header; `-` for one that is not read. */
  readonly columns?: readonly string[] | undefined;
  /** The keys that lead to the array of a JSON list. */
  readonly records?: readonly string[] | undefined;
  /** The sheet of a spreadsheet. */
  readonly sheet?: string | undefined;
  /** Where fields are read from, if their names do not show it. */
  readonly map: ReadonlyMap<MemberField, FieldSource>;
  /** Translations of a field's values: lower-case text to text; `*` matches all others. */
  readonly valueMap: ReadonlyMap<MemberField, ReadonlyMap<string, string>>;
  /** Values of fields that the list does not have, or has blank. */
  readonly defaults: ReadonlyMap<MemberField, string>;
  readonly extraFields: readonly ExtraField[];
  /** Whether unknown columns and keys are ignored instead of rejected. */
  readonly ignoreExtraColumns: boolean;
}

/** How a CSV list is written. */
export interface CsvLayout {
  readonly format: 'csv' | 'tsv';
  readonly hasBom: boolean;
  readonly delimiter: string;
  readonly columns: CsvColumns;
  readonly options: ListOptions;
}

/** How a JSON or NDJSON list is written. */
export interface JsonLayout {
  readonly format: 'json' | 'ndjson';
  readonly hasBom: boolean;
  readonly options: ListOptions;
}

/** How a list is written and was read, so that its rows can be written in the same way. */
export type ListLayout = CsvLayout | JsonLayout;

/** A field and the column that holds it, from 0. */
export interface FieldColumn {
  readonly field: string;
  readonly column: number;
}

/** Which column of a CSV list holds what. */
export interface CsvColumns {
  /** The header's cells as in the list. */
  readonly header: readonly string[];
  readonly fields: readonly FieldColumn[];
  /** Columns with a name that are not read. */
  readonly ignored: readonly number[];
  /** Columns without a name, which must be blank in every row. */
  readonly unnamed: readonly number[];
  /** The last column of an errors file, which holds what was wrong. */
  readonly errorColumn: number | undefined;
}

/** What the fields of a list are read from, and which of its columns or keys are not read. */
export interface MappingInEffect {
  readonly fields: readonly MappedField[];
  /** Names of columns or keys. */
  readonly ignored: readonly string[];
}

/** A field as it is read. */
export interface MappedField {
  readonly field: string;
  /** The column or key; null if the list has none. */
  readonly source: string | null;
  readonly inverted: boolean;
  /** Translated values: from the text in the list (`*` for every other text) to the text that is read. */
  readonly values: Readonly<Record<string, string>>;
  readonly default: string | null;
}

/** Returns the format that a file's name shows; `.gz` is ignored. */
export function formatByName(name: string): ListFormat | undefined {
  const extension = /\.([a-z]+)(?:\.gz)?$/i.exec(name)?.[1]?.toLowerCase();
  if (extension === 'tab') return 'tsv';
  if (extension === 'jsonl') return 'ndjson';
  return LIST_FORMATS.find((format) => format === extension);
}

/**
 * Returns the format that the beginning of a list shows: `[` is JSON, `{` is NDJSON if it begins a member of its own and
 * JSON if it begins an object with a list, and anything else is CSV.
 */
export function formatByContent(head: string, options: ListOptions): ListFormat {
  const text = head.trimStart();
  if (text.startsWith('[')) return 'json';
  if (!text.startsWith('{')) return 'csv';
  return jsonShape(text, options) === 'values' ? 'ndjson' : 'json';
}

/** Returns where the elements of a JSON text are: one after another if it begins with an object that is a member. */
export function jsonShape(head: string, { records, map }: ListOptions): JsonShape {
  const text = head.trimStart();
  if (records !== undefined || !text.startsWith('{')) return 'array';
  const first = firstObject(text);
  if (first === undefined || hasList(first)) return 'array';
  const sources = new Set([...map.values()].map(({ name }) => name.split('.')[0]?.toLowerCase()));
  const isMember = (key: string) => fieldForSpelling(key) !== undefined || sources.has(key.toLowerCase());
  return Object.keys(first).some(isMember) ? 'values' : 'array';
}

/** Parses the object that `text` begins with; undefined if it is not complete, or not valid. */
function firstObject(text: string): object | undefined {
  for (let end = text.indexOf('}'); end >= 0 && end < 100_000; end = text.indexOf('}', end + 1)) {
    try {
      const value: unknown = JSON.parse(text.slice(0, end + 1));
      if (typeof value === 'object' && value !== null) return value;
    } catch {
      // The object continues after this brace.
    }
  }
  return undefined;
}

/**
 * Returns how many lines come before the header of a CSV list, and its delimiter. The first line may not be part of the
 * table: `sep=;` as Excel has it, `#TYPE …` as PowerShell writes it.
 */
export function detectCsv(head: string, format: ListFormat, { delimiter, headerRow }: ListOptions) {
  const [, separator] = /^"?sep=(.)"?[\r\n]/i.exec(head) ?? [];
  const isTypeLine = /^#TYPE\s[^\r\n]*[\r\n]/i.test(head);
  const skipLines = headerRow === undefined ? (separator !== undefined || isTypeLine ? 1 : 0) : headerRow - 1;
  const skipped = new RegExp(`^(?:[^\\r\\n]*(?:\\r\\n|\\r|\\n)){0,${skipLines}}`);
  const named = delimiter ?? (format === 'tsv' ? '\t' : separator);
  return { skipLines, delimiter: named ?? detectDelimiter(head.replace(skipped, '')) };
}

const DELIMITERS = [',', ';', '\t', '|'] as const;

/** Returns the delimiter that is most frequent outside quotes in the first record; a comma if none is there. */
function detectDelimiter(head: string): string {
  const counts = new Map<string, number>(DELIMITERS.map((delimiter) => [delimiter, 0]));
  let quoted = false;
  let begun = false;
  for (const character of head) {
    if (character === '"') quoted = !quoted;
    if (quoted) continue;
    if (character === '\n' || character === '\r') {
      if (begun) break;
      continue;
    }
    const count = counts.get(character);
    if (count !== undefined) counts.set(character, count + 1);
    else if (character !== ' ') begun = true;
  }
  const most = Math.max(...counts.values());
  return DELIMITERS.find((delimiter) => counts.get(delimiter) === most) ?? ',';
}
