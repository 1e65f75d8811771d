import { type Archive, decodeXml, isTrue, notWorkbook, openArchive, parsePart } from './archive.ts';
import { decodeEscapes, isSet, RichText, type TextLook } from './rich-text.ts';

/** An open Excel workbook (.xlsx, .xlsm). */
export interface Workbook {
  readonly archive: Archive;
  /** Its worksheets, in the order of their tabs. */
  readonly sheets: readonly WorkbookSheet[];
  /** The texts that its cells share. */
  readonly strings: readonly string[];
  /** The looks of shared texts that have one, by their numbers. */
  readonly stringLooks: ReadonlyMap<number, TextLook>;
  readonly styles: readonly CellStyle[];
  /** Whether it asks for recalculation, because the program that wrote it calculated no formula. */
  readonly isStale: boolean;
}

export interface WorkbookSheet {
  readonly name: string;
  readonly isHidden: boolean;
  /** Its part of the archive. */
  readonly path: string;
}

/** What a person sees of a cell besides its value. */
export interface CellStyle {
  /** The code of its number format, such as `General` or `0.00`. */
  readonly format: string;
  readonly isStruck: boolean;
}

/**
 * Opens a workbook and reads everything but its sheets.
 *
 * @throws UsageError if the file is encrypted, of another format, or damaged
 */
export async function openWorkbook(bytes: Buffer): Promise<Workbook> {
  const archive = await openArchive(bytes);
  const path = (await readRelations(archive, '')).find(({ type }) => type === 'officeDocument')?.path;
  if (path === undefined || !archive.parts.has(path)) throw notWorkbook();
  const relations = await readRelations(archive, path);
  const pathOf = (type: string) => relations.find((one) => one.type === type)?.path ?? '';
  return {
    archive,
    ...(await readWorkbook(archive, path, relations)),
    ...(await readSharedStrings(archive, pathOf('sharedStrings'))),
    styles: await readStyles(archive, pathOf('styles')),
  };
}

/** What a part of a workbook refers to. */
interface Relation {
  readonly id: string | undefined;
  /** The last segment of the type's URI, which differs between the transitional and the strict form of the format. */
  readonly type: string | undefined;
  readonly path: string;
}

/** @param part its path; `''` for the archive itself */
async function readRelations(archive: Archive, part: string): Promise<Relation[]> {
  const folder = part.slice(0, part.lastIndexOf('/') + 1);
  const relations: Relation[] = [];
  await parsePart(archive, `${folder}_rels/${part.slice(folder.length)}.rels`, {
    open(name, attributes) {
      if (name !== 'Relationship') return;
      const { Id: id, Type: type = '', Target: target = '', TargetMode: mode } = attributes();
      // The links of cells may be any text.
      const [url, base] = [decodeXml(target), `zip:///${folder}`];
      if (mode === 'External' || !URL.canParse(url, base)) return;
      const { pathname } = new URL(url, base);
      relations.push({ id, type: type.split('/').at(-1), path: pathname.replace(/^\/+/, '').toLowerCase() });
    },
  });
  return relations;
}

async function readWorkbook(
  archive: Archive,
  path: string,
  relations: readonly Relation[],
): Promise<Pick<Workbook, 'sheets' | 'isStale'>> {
  const sheets: WorkbookSheet[] = [];
  let isStale = false;
  await parsePart(archive, path, {
    open(name, attributes) {
      if (name === 'calcPr') isStale = isTrue(attributes().fullCalcOnLoad);
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
  return { sheets, isStale };
}

async function readSharedStrings(archive: Archive, path: string): Promise<Pick<Workbook, 'strings' | 'stringLooks'>> {
  const strings: string[] = [];
  const stringLooks = new Map<number, TextLook>();
  const item = new RichText();
  await parsePart(archive, path, {
    open(name, attributes) {
      if (name === 'si') item.clear();
      item.open(name, attributes);
    },
    text: (piece) => item.add(piece),
    close(name) {
      item.close(name);
      if (name !== 'si') return;
      if (item.look !== undefined) stringLooks.set(strings.length, item.look);
      strings.push(decodeEscapes(item.text));
    },
  });
  return { strings, stringLooks };
}

/** The formats of Excel that have no code in a workbook and that orgadm reads. */
const BUILT_IN: Readonly<Record<string, string>> = { '0': 'General', '1': '0', '49': '@' };

async function readStyles(archive: Archive, path: string): Promise<CellStyle[]> {
  const codes = new Map<string, string>();
  const struckFonts: boolean[] = [];
  const styles: CellStyle[] = [];
  let list = '';
  await parsePart(archive, path, {
    open(name, attributes) {
      if (['fonts', 'cellStyleXfs', 'cellXfs', 'dxfs'].includes(name)) list = name;
      else if (name === 'numFmt') codes.set(attributes().numFmtId ?? '', decodeXml(attributes().formatCode ?? ''));
      else if (name === 'font' && list === 'fonts') struckFonts.push(false);
      else if (name === 'strike' && list === 'fonts') struckFonts[struckFonts.length - 1] = isSet(attributes());
      else if (name === 'xf' && list === 'cellXfs') {
        const { numFmtId = '0', fontId = '0' } = attributes();
        const format = codes.get(numFmtId) ?? BUILT_IN[numFmtId] ?? `number ${numFmtId}`;
        styles.push({ format, isStruck: struckFonts[Number(fontId)] ?? false });
      }
    },
  });
  return styles;
}
