import { quote, quoteAll } from '../../../output/sanitize.ts';
import { UsageError } from '../../../util/errors.ts';
import { comparableText } from '../../../util/visible-text.ts';
import {
  type Archive,
  damaged,
  decodeXml,
  isTrue,
  MAX_SMALL_PART_BYTES,
  notWorkbook,
  openArchive,
  parsePart,
  workbookTooLarge,
} from './archive.ts';
import { type CellContext, decodeEscapes } from './cell-text.ts';
import { readRelations } from './relations.ts';
import { RichText, type RunLook } from './rich-text.ts';
import { readStyles } from './styles.ts';

/** An open Excel workbook (.xlsx, .xlsm). */
export interface Workbook extends CellContext {
  readonly archive: Archive;
  /** Its worksheets, in the order of their tabs. */
  readonly sheets: readonly WorkbookSheet[];
  /** The looks of shared texts that have one, by their numbers. */
  readonly stringLooks: ReadonlyMap<number, RunLook>;
  /** Whether the saved results of its formulas are out of date, because the program that wrote it calculated none. */
  readonly isStale: boolean;
}

export interface WorkbookSheet {
  readonly name: string;
  readonly isHidden: boolean;
  /** Its file in the archive. */
  readonly path: string;
}

/** Upper bound on a sheet, which is streamed, and on the shared strings, which are held in memory. */
export const MAX_PART_BYTES = 256 * 1024 ** 2;
/** Upper bound on the memory of the shared strings; empty ones take memory, too. */
const MAX_STRINGS_BYTES = 176 * 1024 ** 2;
/** Memory that a string takes in addition to its characters. */
const STRING_BYTES = 32;

/**
 * Opens a workbook and reads everything but its sheets.
 *
 * @throws UsageError when the file is encrypted, of another format, damaged, or beyond the limits
 */
export async function openWorkbook(bytes: Buffer): Promise<Workbook> {
  rejectOleFile(bytes);
  const archive = await openArchive(bytes);
  const { stringsPath, stylesPath, ...workbook } = await readWorkbook(archive, await findWorkbook(archive));
  return {
    archive,
    ...workbook,
    ...(await readSharedStrings(archive, stringsPath)),
    styles: await readStyles(archive, stylesPath),
  };
}

/** Rejects the container of .xls files, in which encrypted workbooks are, too. */
function rejectOleFile(bytes: Buffer): void {
  if (bytes.subarray(0, 8).toString('hex') !== 'd0cf11e0a1b11ae1') return;
  throw new UsageError(
    'the list is a workbook in the old .xls format, or protected by a password',
    'Save it without a password as an Excel Workbook (.xlsx), or as CSV UTF-8.',
    'bad-encoding',
  );
}

async function findWorkbook(archive: Archive): Promise<string> {
  const relations = await readRelations(archive, '');
  const path = relations.find(({ type }) => type === 'officeDocument')?.path;
  if (path !== undefined && /^xl\/[^/]+\.xml$|(?:^|\/)workbook\.xml$/.test(path)) {
    if (!archive.parts.has(path)) throw damaged('a part is missing');
    return path;
  }
  throw notWorkbook(archive);
}

async function readWorkbook(archive: Archive, path: string) {
  const relations = await readRelations(archive, path);
  const sheets: WorkbookSheet[] = [];
  let [isStale, isFrom1904] = [false, false];
  await parsePart(archive, path, MAX_SMALL_PART_BYTES, {
    open(name, attributes) {
      if (name === 'calcPr') isStale = isTrue(attributes().fullCalcOnLoad);
      if (name === 'workbookPr') isFrom1904 = isTrue(attributes().date1904);
      if (name !== 'sheet') return;
      const found = attributes();
      const id = Object.entries(found).find(([key]) => key.endsWith(':id'))?.[1];
      const relation = relations.find((one) => one.id === id);
      // Chart sheets and macro sheets hold no rows.
      if (relation?.type !== 'worksheet') return;
      sheets.push({
        name: decodeXml(found.name ?? ''),
        isHidden: (found.state ?? 'visible') !== 'visible',
        path: relation.path,
      });
    },
  });
  const pathOf = (type: string) => relations.find((one) => one.type === type)?.path ?? '';
  return { sheets, isStale, isFrom1904, stringsPath: pathOf('sharedStrings'), stylesPath: pathOf('styles') };
}

const BEYOND_LATIN1 = /[^\0-\xff]/;

/** Returns the workbook's table of texts. */
async function readSharedStrings(archive: Archive, path: string): Promise<Pick<Workbook, 'strings' | 'stringLooks'>> {
  const strings: string[] = [];
  const stringLooks = new Map<number, RunLook>();
  const item = new RichText();
  let bytes = 0;
  await parsePart(archive, path, MAX_PART_BYTES, {
    open(name, attributes) {
      if (name === 'si') item.clear();
      item.open(name, attributes);
    },
    text(piece) {
      item.add(piece);
    },
    close(name) {
      item.close(name);
      if (name !== 'si') return;
      bytes += STRING_BYTES + item.text.length * (BEYOND_LATIN1.test(item.text) ? 2 : 1);
      if (item.look !== undefined) bytes += STRING_BYTES;
      if (bytes > MAX_STRINGS_BYTES) throw workbookTooLarge('has too many different texts');
      if (item.look !== undefined) stringLooks.set(strings.length, item.look);
      strings.push(decodeEscapes(item.text));
    },
  });
  return { strings, stringLooks };
}

/**
 * Returns the sheets that a list may be in.
 *
 * @param wanted the name of one, as a person reads it; otherwise, the visible ones
 * @throws UsageError if there is none
 */
export function findSheets(
  { sheets }: Workbook,
  wanted: string | undefined,
): readonly [WorkbookSheet, ...WorkbookSheet[]] {
  const isWanted = ({ name, isHidden }: WorkbookSheet) =>
    wanted === undefined ? !isHidden : comparableText(name) === comparableText(wanted);
  const exact = sheets.find(({ name }) => name === wanted);
  const [first, ...others] = exact === undefined ? sheets.filter(isWanted) : [exact];
  if (first !== undefined) return [first, ...others];
  const names = `Its sheets are ${quoteAll(sheets.map(({ name }) => name))}.`;
  if (wanted !== undefined) throw new UsageError(`the workbook has no sheet ${quote(wanted)}`, names);
  if (sheets.length === 0) throw damaged('it has no worksheet');
  throw new UsageError('the workbook has no visible sheet', `${names} Name one with --sheet.`);
}
