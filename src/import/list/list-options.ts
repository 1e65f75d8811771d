import type { MemberField } from '../entry.ts';
/** How a list is written. CSV covers `,` `;` and tab as delimiter; TSV is tab only. */
export type ListFormat = 'csv' | 'tsv' | 'json' | 'ndjson';

/** The list formats, in the order in which they are told. */
export const LIST_FORMATS: readonly ListFormat[] = ['csv', 'tsv', 'json', 'ndjson'];

/** How a list is to be read. */
export interface ListOptions {
  /** Without it the name tells, and then the content. */
  format?: ListFormat;
  /** The column (or JSON key) that holds a field, where its name does not tell. */
  map: ReadonlyMap<MemberField, string>;
  /** The value of a field where the list has no such column, or a blank. */
  defaults: ReadonlyMap<MemberField, string>;
  /** Leave unknown columns and keys unread instead of refusing them. */
  ignoreExtraColumns: boolean;
}

/** The delimiters that a CSV list may use. */
export type Delimiter = ',' | ';' | '\t';

const CANDIDATES: readonly Delimiter[] = [',', ';', '\t'];

/** The delimiter of a CSV list: the one that stands most often outside quotes in its first record; a comma when none does. */
export function detectDelimiter(head: string): Delimiter {
  const counts: Record<string, number> = { ',': 0, ';': 0, '\t': 0 };
  let quoted = false;
  let begun = false;
  for (const character of head) {
    if (character === '"') quoted = !quoted;
    if (quoted) continue;
    if (character === '\n' || character === '\r') {
      if (begun) break;
      continue;
    }
    const count = counts[character];
    if (count !== undefined) counts[character] = count + 1;
    else if (character !== ' ') begun = true;
  }
  const most = Math.max(...Object.values(counts));
  return CANDIDATES.find((candidate) => counts[candidate] === most) ?? ',';
}

const BY_EXTENSION: Record<string, ListFormat> = {
  csv: 'csv',
  tsv: 'tsv',
  tab: 'tsv',
  json: 'json',
  ndjson: 'ndjson',
  jsonl: 'ndjson',
};

/** The format that a file's name tells, if it tells one. */
export function formatByName(name: string): ListFormat | undefined {
  const extension = /\.([a-z]+)$/i.exec(name)?.[1]?.toLowerCase();
  return extension !== undefined && Object.hasOwn(BY_EXTENSION, extension) ? BY_EXTENSION[extension] : undefined;
}

/**
 * The format that the beginning of a list tells. `[` begins JSON. `{` begins NDJSON when the first line is an object of
 * its own and not a request body with `members`; else JSON. All else is CSV.
 */
export function formatByContent(head: string): ListFormat {
  const text = head.trimStart();
  if (text.startsWith('[')) return 'json';
  if (!text.startsWith('{')) return 'csv';
  const [firstLine = ''] = text.split(/[\r\n]/, 1);
  return isEntryLine(firstLine) ? 'ndjson' : 'json';
}

function isEntryLine(line: string): boolean {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Object.hasOwn(value, 'members');
  } catch {
    return false;
  }
}

/** How a CSV list is written. */
export interface CsvLayout {
  readonly format: 'csv' | 'tsv';
  /** Whether it began with a byte order mark. */
  readonly bom: boolean;
  readonly delimiter: Delimiter;
  readonly columns: CsvColumns;
  readonly options: ListOptions;
}

/** How a JSON or NDJSON list is written. */
export interface JsonLayout {
  readonly format: 'json' | 'ndjson';
  /** Whether it began with a byte order mark. */
  readonly bom: boolean;
  readonly options: ListOptions;
}

/** How a list is written and was read, as far as rows can be given back in its own manner. */
export type ListLayout = CsvLayout | JsonLayout;

/** Which column of a CSV list holds what. */
export interface CsvColumns {
  /** The header's cells as the list spells them. */
  readonly header: readonly string[];
  /** Which column (0-based) holds which field. */
  readonly fields: ReadonlyArray<readonly [MemberField, number]>;
  /** Columns without a header that must be blank in every row. */
  readonly unnamed: readonly number[];
  /** The trailing column in which our own errors file told what was wrong. */
  readonly errorColumn: number | undefined;
}
