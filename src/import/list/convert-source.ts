import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { UsageError } from '../../util/errors.ts';
import { type ListInput, type ListSource, replaceSource } from './list-source.ts';

/** What a source holds after it was converted. */
export interface ConvertedSource {
  readonly source: ListSource;
  /** Whether it was a workbook, and is now one JSON array per row: the row's number in the sheet, then its cells. */
  readonly isSheet: boolean;
}

/**
 * Decompresses a gzip source and extracts the sheet of a workbook; the result replaces the source. Other sources are
 * returned as they are.
 *
 * @param sheet name of the sheet; by default the first visible one
 * @throws UsageError for a damaged archive, and for workbooks that cannot be read
 */
export async function convertSource(
  source: ListSource,
  input: ListInput,
  sheet: string | undefined,
): Promise<ConvertedSource> {
  const isGzip = startsWith(await source.head(2), '1f8b');
  const plain = isGzip ? await replaceSource(source, gunzip(source), input) : source;
  const head = await plain.head(8);
  if (startsWith(head, '504b0304') || startsWith(head, 'd0cf11e0a1b11ae1')) {
    const sheetRows = extractSheet(plain, isGzip ? '-' : input.path, sheet);
    return { source: await replaceSource(plain, sheetRows, input), isSheet: true };
  }
  if (sheet !== undefined) throw new UsageError('--sheet: the list is not an Excel workbook', 'Remove --sheet.');
  return { source: plain, isSheet: false };
}

function startsWith(head: Buffer, signature: string): boolean {
  return head.toString('hex').startsWith(signature);
}

async function* gunzip(source: ListSource): AsyncGenerator<Uint8Array> {
  const decompressed = createGunzip();
  const done = pipeline(copies(source), decompressed).catch((error: unknown) => decompressed.destroy(error as Error));
  try {
    yield* decompressed;
    await done;
  } catch (cause) {
    if (!(cause instanceof Error) || !('code' in cause) || !String(cause.code).startsWith('Z_')) throw cause;
    throw new UsageError(
      `${source.name}: the gzip data is damaged or incomplete`,
      'Export the list again.',
      'bad-encoding',
    );
  }
}

async function* extractSheet(source: ListSource, path: string, sheet: string | undefined): AsyncGenerator<string> {
  const { openSpreadsheet } = await import('./spreadsheet.ts');
  try {
    // A path is read piece by piece; what is not a file is held in memory.
    const workbook = await openSpreadsheet(path === '-' ? Buffer.concat(await all(source)) : path, sheet);
    try {
      for await (const { line, cells } of workbook.rows()) yield `${JSON.stringify([line, ...cells])}\n`;
    } finally {
      workbook.close();
    }
  } catch (error) {
    throw error instanceof UsageError
      ? new UsageError(`${source.name}: ${error.message}`, error.hint, error.code)
      : error;
  }
}

async function all(source: ListSource): Promise<Uint8Array[]> {
  const pieces: Uint8Array[] = [];
  for await (const piece of copies(source)) pieces.push(piece);
  return pieces;
}

/** Yields copies of the blocks of a source, which reuses its buffers. */
async function* copies(source: ListSource): AsyncGenerator<Uint8Array> {
  for await (const block of source.blocks()) yield Buffer.from(block);
}
