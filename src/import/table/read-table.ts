import { createHash } from 'node:crypto';
import path from 'node:path';
import { UsageError } from '../../util/errors.ts';
import { type ListInput, readListBytes } from './bytes.ts';
import { csvTable } from './csv-table.ts';
import { decodeText } from './decode.ts';
import type { TableContent } from './header.ts';
import { jsonTable } from './json.ts';
import type { FileOptions, ListFormat, Table } from './table.ts';

/**
 * Reads a list into memory, and finds its columns.
 *
 * @throws UsageError for a list that cannot be read, and for an option that does not fit its format, with the name of the list
 * @throws OrgadmError (`list-read`) if reading fails
 */
export async function readTable(input: ListInput, options: FileOptions): Promise<Table> {
  const { name, path: absolute, bytes } = await readListBytes(input);
  const format = options.format ?? formatOf(input.path, bytes);
  rejectOptions(options, format);
  const content = await namingList(name, () => readContent(bytes, format, options));
  return {
    name,
    path: absolute,
    digest: createHash('sha256').update(bytes).digest('hex'),
    format,
    position: content.position ?? 'line',
    columns: content.columns,
    sheet: content.sheet,
    besideList: content.besideList ?? [],
    async *chunks() {
      try {
        for await (const rows of content.chunks()) {
          yield rows;
          // A generator of rows in memory would keep signals and progress waiting.
          await new Promise(setImmediate);
        }
      } catch (error) {
        throw withListName(name, error);
      }
    },
  };
}

async function readContent(bytes: Buffer, format: ListFormat, options: FileOptions): Promise<TableContent> {
  if (format === 'xlsx') {
    // Its packages take longer to load than most lists to read.
    const { sheetTable } = await import('./xlsx/sheet-table.ts');
    return sheetTable(bytes, options);
  }
  const utf8 = decodeText(bytes, options.encoding);
  return format === 'csv' ? csvTable(utf8, options) : jsonTable(utf8, format, options);
}

const BY_EXTENSION: Readonly<Record<string, ListFormat>> = {
  '.csv': 'csv',
  '.tsv': 'csv',
  '.txt': 'csv',
  '.json': 'json',
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.xlsx': 'xlsx',
  '.xlsm': 'xlsx',
  '.xls': 'xlsx',
};

/** Returns the format that the name of a list tells or, if it tells none, its first character. */
function formatOf(file: string, bytes: Buffer): ListFormat {
  const byName = BY_EXTENSION[path.extname(file).toLowerCase()];
  if (byName !== undefined) return byName;
  if (bytes.subarray(0, 4).toString('latin1') === 'PK\x03\x04') return 'xlsx';
  return /^(?:\xef\xbb\xbf)?\s*[[{]/.test(bytes.toString('latin1', 0, 1024)) ? 'json' : 'csv';
}

/** The options that only some formats have. */
const OPTION_FORMATS: Readonly<Record<Exclude<keyof FileOptions, 'format'>, readonly ListFormat[]>> = {
  delimiter: ['csv'],
  encoding: ['csv', 'json', 'ndjson'],
  columns: ['csv', 'xlsx'],
  headerRow: ['csv', 'xlsx'],
  records: ['json'],
  sheet: ['xlsx'],
};

const FORMAT_NAMES = { csv: 'CSV', json: 'JSON', ndjson: 'NDJSON', xlsx: 'an Excel workbook' } as const;

/** Rejects options that have no effect on a format. */
function rejectOptions(options: FileOptions, format: ListFormat): void {
  for (const [name, formats] of Object.entries(OPTION_FORMATS)) {
    if (options[name as keyof FileOptions] === undefined || formats.includes(format)) continue;
    const option = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    throw new UsageError(`${option} has no effect: the list is ${FORMAT_NAMES[format]}`, `Remove ${option}.`);
  }
}

/** Runs `read`, and puts the name of the list before the message of its usage error. */
async function namingList<T>(name: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw withListName(name, error);
  }
}

function withListName(name: string, error: unknown): unknown {
  if (!(error instanceof UsageError)) return error;
  // "members.csv is empty" reads better than "members.csv: the list is empty".
  const { message, hint, code } = error;
  const named = message.startsWith('the list ') ? message.replace('the list', name) : `${name}: ${message}`;
  return new UsageError(named, hint, code);
}
