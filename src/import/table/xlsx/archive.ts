import { Parser } from 'saxen';
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl';
import { UsageError } from '../../../util/errors.ts';
import { MAX_LIST_BYTES } from '../bytes.ts';

/** An open zip archive, and its parts by their lower-case names. */
export interface Archive {
  readonly zip: ZipFile;
  readonly parts: ReadonlyMap<string, Entry>;
}

/** @throws UsageError if it is not a zip archive, or a damaged one */
export async function openArchive(bytes: Buffer): Promise<Archive> {
  try {
    const zip = await fromBufferPromise(bytes);
    const parts = new Map<string, Entry>();
    for await (const entry of zip.eachEntry()) parts.set(entry.fileName.toLowerCase(), entry);
    return { zip, parts };
  } catch {
    throw notWorkbook();
  }
}

/** Returns the error for a file that is no workbook, or a damaged one. */
export function notWorkbook(): UsageError {
  return new UsageError(
    'the list is not an Excel workbook (.xlsx)',
    'Open it in a spreadsheet, and save it as an Excel Workbook (.xlsx) without a password, or as CSV UTF-8.',
    'bad-encoding',
  );
}

/** The attributes of an XML element, as written, with references. */
export type Attributes = Readonly<Record<string, string | undefined>>;

/** Whether an attribute or a value is a true boolean. */
export function isTrue(text: string | undefined): boolean {
  return text === '1' || text === 'true';
}

/** Receives the pieces of an XML document, in order. */
export interface XmlListener {
  /** `name` comes without its prefix. */
  open(name: string, attributes: () => Attributes): void;
  text?(text: string): void;
  close?(name: string): void;
}

/** Parses a part of an archive, if it is there. Throws UsageError if it is damaged. */
export async function parsePart(archive: Archive, path: string, listener: XmlListener): Promise<void> {
  for await (const _ of parsedChunks(archive, path, listener));
}

/** Parses like `parsePart`; yields after each chunk, when the listener has received all that it completes. */
export async function* parsedChunks(
  { zip, parts }: Archive,
  path: string,
  listener: XmlListener,
): AsyncGenerator<void> {
  const part = parts.get(path);
  if (part === undefined) return;
  // Zip archives of a few kilobytes can hold terabytes. The package checks that the part is not larger than it says.
  if (part.uncompressedSize > MAX_LIST_BYTES)
    throw new UsageError('the workbook has a part of more than 256 MiB', 'Save the sheet as CSV UTF-8.');
  const parser = new Parser()
    .on('openTag', (name, attributes) => listener.open(localName(name), attributes))
    .on('closeTag', (name) => listener.close?.(localName(name)))
    .on('text', (text) => listener.text?.(decodeXml(text)))
    .on('cdata', (text) => listener.text?.(text))
    .on('error', (error) => {
      throw error;
    });
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const chunk of await zip.openReadStreamPromise(part)) {
      parser.write(decoder.decode(chunk, { stream: true }));
      yield;
    }
    parser.write(decoder.decode()).end();
  } catch (error) {
    throw error instanceof UsageError ? error : notWorkbook();
  }
  yield;
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Resolves references. The package's own function cuts those of characters beyond U+FFFF. */
export function decodeXml(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w+));/gi, (entity, decimal, hex, name) => {
    if (name !== undefined) return NAMED[name] ?? entity;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : entity;
  });
}
