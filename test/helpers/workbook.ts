import { crc32, deflateRawSync } from 'node:zlib';

/** Writes a zip archive of these files; a size in `claimedSizes` is written instead of the true one. */
export function zipArchive(
  files: Readonly<Record<string, string | Buffer>>,
  claimedSizes: Readonly<Record<string, number>> = {},
): Buffer {
  const bodies: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of Object.entries(files)) {
    const bytes = Buffer.from(content);
    const packed = deflateRawSync(bytes, { level: 9 });
    // Version 2.0, UTF-8 names, deflated, 1980-01-01.
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(0x800, 2);
    fields.writeUInt16LE(8, 4);
    fields.writeUInt16LE(0x21, 8);
    fields.writeUInt32LE(crc32(bytes), 10);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(claimedSizes[name] ?? bytes.length, 18);
    fields.writeUInt16LE(Buffer.byteLength(name), 22);
    const body = Buffer.concat([Buffer.from('PK\x03\x04'), fields, Buffer.from(name), packed]);
    const entry = Buffer.alloc(46);
    entry.write('PK\x01\x02', 'latin1');
    entry.writeUInt16LE(20, 4);
    fields.copy(entry, 6);
    entry.writeUInt32LE(offset, 42);
    directory.push(Buffer.concat([entry, Buffer.from(name)]));
    bodies.push(body);
    offset += body.length;
  }
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(directory.length, 8);
  end.writeUInt16LE(directory.length, 10);
  end.writeUInt32LE(Buffer.concat(directory).length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...bodies, ...directory, end]);
}

/** A worksheet: its name, the XML inside `<sheetData>`, and whether its tab is hidden. */
export interface SheetParts {
  name: string;
  data: string;
  hidden?: boolean;
  /** The XML after `<sheetData>`, such as `<mergeCells>`. */
  after?: string;
}

/** Parts of a workbook other than its sheets. */
export interface WorkbookParts {
  /** The XML inside `<sst>`. */
  strings?: string;
  /** Format codes of cell styles 1, 2, …: a number for a built-in format, or a code with the number of its own. */
  formats?: readonly (string | number | { id: number; code: string })[];
  /** What the font of the last cell style has, which comes after those of `formats`, such as `<strike/>`. */
  font?: string;
  /** Whether Excel is to calculate all formulas when it opens the workbook. */
  fullCalcOnLoad?: boolean;
}

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\r\n';
const MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const CONTENT = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

function relation(id: number, type: string, target: string): string {
  return `<Relationship Id="rId${id}" Type="${OFFICE}/${type}" Target="${target}"/>`;
}

/** The files of a workbook, as Excel lays them out in its archive. */
export function workbookFiles(sheets: readonly SheetParts[], parts: WorkbookParts = {}): Record<string, string> {
  const { strings = '', formats = [], font = '', fullCalcOnLoad = false } = parts;
  const numbered = formats.map((format, at) => (typeof format === 'string' ? { id: 164 + at, code: format } : format));
  const codes = numbered.flatMap((format) => (typeof format === 'number' ? [] : [format]));
  const ids = numbered.map((format) => (typeof format === 'number' ? format : format.id));
  const part = (name: string, type: string) =>
    `<Override PartName="/xl/${name}" ContentType="${CONTENT}.${type}+xml"/>`;
  const tabs = sheets.map(
    ({ name, hidden }, at) =>
      `<sheet name="${name}" sheetId="${at + 1}"${hidden === true ? ' state="hidden"' : ''} r:id="rId${at + 1}"/>`,
  );
  return {
    '[Content_Types].xml':
      `${HEAD}<Types xmlns="${PACKAGE}/content-types">` +
      '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
      '<Default Extension="xml" ContentType="application/xml"/>' +
      part('workbook.xml', 'sheet.main') +
      sheets.map((_, at) => part(`worksheets/sheet${at + 1}.xml`, 'worksheet')).join('') +
      `${part('styles.xml', 'styles')}${part('sharedStrings.xml', 'sharedStrings')}</Types>`,
    '_rels/.rels': `${HEAD}<Relationships xmlns="${PACKAGE}/relationships">${relation(1, 'officeDocument', 'xl/workbook.xml')}</Relationships>`,
    'xl/workbook.xml':
      `${HEAD}<workbook ${MAIN} xmlns:r="${OFFICE}"><workbookPr/>` +
      `<sheets>${tabs.join('')}</sheets>${fullCalcOnLoad ? '<calcPr calcId="0" fullCalcOnLoad="1"/>' : ''}</workbook>`,
    'xl/_rels/workbook.xml.rels':
      `${HEAD}<Relationships xmlns="${PACKAGE}/relationships">` +
      sheets.map((_, at) => relation(at + 1, 'worksheet', `worksheets/sheet${at + 1}.xml`)).join('') +
      relation(sheets.length + 1, 'styles', 'styles.xml') +
      `${relation(sheets.length + 2, 'sharedStrings', 'sharedStrings.xml')}</Relationships>`,
    ...Object.fromEntries(
      sheets.map(({ data, after = '' }, at) => [
        `xl/worksheets/sheet${at + 1}.xml`,
        `${HEAD}<worksheet ${MAIN}><sheetData>${data}</sheetData>${after}</worksheet>`,
      ]),
    ),
    'xl/styles.xml':
      `${HEAD}<styleSheet ${MAIN}>` +
      `<numFmts count="${codes.length}">${codes.map(({ id, code }) => `<numFmt numFmtId="${id}" formatCode="${code.replaceAll('"', '&quot;').replaceAll('<', '&lt;')}"/>`).join('')}</numFmts>` +
      `<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font>${font}<sz val="11"/></font></fonts>` +
      '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>' +
      '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>' +
      '<cellStyleXfs count="1"><xf numFmtId="14" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>' +
      `<cellXfs count="${ids.length + 2}"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>` +
      `${ids.map((id) => `<xf numFmtId="${id}" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>`).join('')}` +
      '<xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/></cellXfs>' +
      // The formats of conditions and tables.
      '<dxfs count="1"><dxf><font><strike/></font></dxf></dxfs></styleSheet>',
    'xl/sharedStrings.xml': `${HEAD}<sst ${MAIN}>${strings}</sst>`,
  };
}

/** A workbook of these sheets, as bytes. */
export function workbook(sheets: readonly SheetParts[], parts?: WorkbookParts): Buffer {
  return zipArchive(workbookFiles(sheets, parts));
}
