import type { ListFormat } from './list-options.ts';

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
