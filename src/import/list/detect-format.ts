import { fieldForSpelling } from '../entry.ts';
import { hasList, type JsonShape } from './json/json-elements.ts';
import type { ListFormat, ListOptions } from './list-options.ts';

const BY_EXTENSION: Readonly<Record<string, ListFormat>> = {
  csv: 'csv',
  tsv: 'tsv',
  tab: 'tsv',
  json: 'json',
  ndjson: 'ndjson',
  jsonl: 'ndjson',
};

/** Returns the format that a file's name shows; `.gz` is ignored. */
export function formatByName(name: string): ListFormat | undefined {
  const extension = /\.([a-z]+)(?:\.gz)?$/i.exec(name)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(BY_EXTENSION, extension) ? BY_EXTENSION[extension] : undefined;
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

/** What comes before the header of a CSV list. */
export interface CsvPreamble {
  /** Physical lines to skip. */
  readonly skipLines: number;
  /** The delimiter that a line `sep=;` names. */
  readonly delimiter: string | undefined;
}

/** Reads the first line if it is not part of the table: `sep=;` as Excel has it, `#TYPE …` as PowerShell writes it. */
export function readPreamble(head: string, headerRow: number | undefined): CsvPreamble {
  const [, separator] = /^"?sep=(.)"?[\r\n]/i.exec(head) ?? [];
  const isTypeLine = /^#TYPE\s[^\r\n]*[\r\n]/i.test(head);
  const skipLines = headerRow === undefined ? (separator !== undefined || isTypeLine ? 1 : 0) : headerRow - 1;
  return { skipLines, delimiter: separator };
}

const DELIMITERS = [',', ';', '\t', '|'] as const;

/** Returns the delimiter that is most frequent outside quotes in the first record; a comma if none is there. */
export function detectDelimiter(head: string): string {
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
