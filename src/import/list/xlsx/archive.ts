import { crc32 } from 'node:zlib';
import { Parser } from 'saxen';
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl';
import { quote } from '../../../output/sanitize.ts';
import { UsageError } from '../../../util/errors.ts';
import { formatCount } from '../../../util/units.ts';

const MAX_PARTS = 10_000;
/** Upper bound on a part other than sheets and texts: zip archives of a few kilobytes can hold terabytes. */
export const MAX_SMALL_PART_BYTES = 32 * 1024 ** 2;
/** One tag, or one text. */
const MAX_XML_TOKEN = 1024 ** 2;

/** An open zip archive, and its files by their lower-case names. */
export interface Archive {
  readonly zip: ZipFile;
  readonly parts: ReadonlyMap<string, Entry>;
}

/** Opens an archive. Throws `UsageError` when it is damaged or has too many files. */
export async function openArchive(bytes: Buffer): Promise<Archive> {
  try {
    const zip = await fromBufferPromise(bytes);
    if (zip.entryCount > MAX_PARTS) throw workbookTooLarge(`holds ${zip.entryCount} files, more than ${MAX_PARTS}`);
    const parts = new Map<string, Entry>();
    for await (const entry of zip.eachEntry()) parts.set(entry.fileName.toLowerCase(), entry);
    return { zip, parts };
  } catch (error) {
    throw asDamaged(error);
  }
}

/** The attributes of an XML element, as written, with references. */
export type Attributes = Readonly<Record<string, string | undefined>>;

/** Whether an attribute or a value is a true boolean. */
export function isTrue(text: string | undefined): boolean {
  return text === '1' || text === 'true';
}

/** Whether an element such as `<strike/>` is set: it is without a value. */
export function isSet({ val = 'true' }: Attributes): boolean {
  return isTrue(val);
}

/** Receives the parts of an XML document, in order. */
export interface XmlListener {
  /** `name` comes without its prefix. */
  open(name: string, attributes: () => Attributes): void;
  text?(text: string): void;
  close?(name: string): void;
}

/**
 * Parses an XML file of the archive, if it is there. Throws `UsageError` when it is damaged or larger than `limit` bytes.
 */
export async function parsePart(archive: Archive, path: string, limit: number, listener: XmlListener): Promise<void> {
  for await (const _ of parsedChunks(archive, path, limit, listener));
}

/** Parses like `parsePart`; yields after each chunk, when the listener has received all that it completes. */
export async function* parsedChunks(
  { zip, parts }: Archive,
  path: string,
  limit: number,
  listener: XmlListener,
): AsyncGenerator<void> {
  const part = parts.get(path);
  if (part === undefined) return;
  if (part.uncompressedSize > limit) {
    throw workbookTooLarge(`holds ${part.uncompressedSize} bytes in ${quote(part.fileName)}, more than ${limit}`);
  }
  let sinceToken = 0;
  let checksum = 0;
  const parser = new Parser()
    .on('openTag', (name, attributes) => {
      sinceToken = 0;
      listener.open(localName(name), attributes);
    })
    .on('closeTag', (name) => listener.close?.(localName(name)))
    .on('text', (text) => listener.text?.(decodeXml(text)))
    .on('cdata', (text) => listener.text?.(text))
    .on('error', (error) => {
      throw damaged(error.message);
    });
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const chunk of await zip.openReadStreamPromise(part)) {
      checksum = crc32(chunk, checksum);
      sinceToken += chunk.length;
      if (sinceToken > MAX_XML_TOKEN + chunk.length)
        throw workbookTooLarge(`has a text of more than ${MAX_XML_TOKEN} bytes`);
      parser.write(decoder.decode(chunk, { stream: true }));
      yield;
    }
    parser.write(decoder.decode()).end();
    // The unzipping package leaves this check to its users.
    if (checksum !== part.crc32) throw damaged(`the checksum of ${quote(part.fileName)} is wrong`);
  } catch (error) {
    throw asDamaged(error);
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

/** Returns the error for a file that is not valid in its format. */
export function damaged(reason: string): UsageError {
  return new UsageError(
    `the workbook is damaged: ${reason}`,
    'Open it in Excel and save it again, or save the sheet as CSV.',
    'bad-encoding',
  );
}

/** Files of an archive that an error names. */
const MAX_NAMES = 5;

/** Returns the error for a zip archive that is not a workbook, with the names of its files. */
export function notWorkbook({ parts }: Archive): UsageError {
  const names = [...parts.values()].map(({ fileName }) => fileName);
  // macOS adds files of its own.
  const files = names.filter((name) => !name.endsWith('/') && !name.startsWith('__MACOSX/'));
  const hasList = files.some((name) => /\.(?:csv|tsv|tab|txt|jsonl?|ndjson|xlsx|xlsm|gz)$/i.test(name));
  const shown = files.slice(0, MAX_NAMES).map((name) => quote(name));
  const more = files.length > MAX_NAMES ? [`${formatCount(files.length - MAX_NAMES)} more`] : [];
  const contents = files.length === 0 ? 'no files' : new Intl.ListFormat('en-US').format([...shown, ...more]);
  return new UsageError(
    `the list is a zip archive, but not an Excel workbook (.xlsx): it contains ${contents}`,
    hasList
      ? 'Unpack it, and pass the list in it.'
      : 'Save the sheet as .xlsx or as CSV, also if it is an .xlsb, .ods, or Numbers file.',
    'bad-encoding',
  );
}

/** Replaces an error of the unzipping package, whose messages are about the zip format. */
function asDamaged(error: unknown): UsageError {
  if (error instanceof UsageError) return error;
  return new UsageError(
    'the list is an incomplete or damaged Excel workbook',
    'Download or copy the file again. If Excel can open it, save it again, or save the sheet as CSV.',
    'bad-encoding',
  );
}

/** Returns the error for a file beyond the limits. */
export function workbookTooLarge(reason: string): UsageError {
  return new UsageError(`the workbook ${reason}`, 'Save the sheet as CSV.');
}
