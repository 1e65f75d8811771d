import { type Archive, decodeXml, isSet, MAX_SMALL_PART_BYTES, parsePart } from './archive.ts';
import { type NumberFormat, numberFormat } from './number-format.ts';

/** What a person sees of a cell besides its value. */
export interface CellStyle {
  readonly format: NumberFormat;
  readonly isStruck: boolean;
}

/** Returns the cell styles of a workbook. */
export async function readStyles(archive: Archive, path: string): Promise<CellStyle[]> {
  const codes = new Map<string, string>();
  const struckFonts: boolean[] = [];
  const known = new Map<string, CellStyle>();
  const styles: CellStyle[] = [];
  let list = '';
  await parsePart(archive, path, MAX_SMALL_PART_BYTES, {
    open(name, attributes) {
      if (['fonts', 'cellStyleXfs', 'cellXfs', 'dxfs'].includes(name)) list = name;
      else if (name === 'numFmt') codes.set(attributes().numFmtId ?? '', decodeXml(attributes().formatCode ?? ''));
      else if (name === 'font' && list === 'fonts') struckFonts.push(false);
      else if (name === 'strike' && list === 'fonts') struckFonts[struckFonts.length - 1] = isSet(attributes());
      else if (name === 'xf' && list === 'cellXfs') {
        const { numFmtId = '0', fontId = '0' } = attributes();
        const isStruck = struckFonts[Number(fontId)] ?? false;
        const key = `${numFmtId} ${isStruck}`;
        const style = known.get(key) ?? { format: numberFormat(numFmtId, codes.get(numFmtId)), isStruck };
        known.set(key, style);
        styles.push(style);
      }
    },
  });
  return styles;
}
