import type { SeededRandom } from '../helpers/seeded-random.ts';
import { workbook } from '../helpers/workbook.ts';

/** A cell of a random workbook. */
export interface RandomCell {
  kind: string;
  /** What a person sees in it; undefined if only Excel can tell. */
  sees: string | undefined;
}

interface CellXml {
  sees: string | undefined;
  /** Attributes other than `r`. */
  attributes?: string;
  /** The content of `<c>`. */
  xml: string;
}

/** The number formats of cell styles 1, 2, …. */
const FORMATS = [
  '00000',
  '"EMP-"00000',
  '000-00-0000',
  'yyyy-mm-dd',
  'd-mmm',
  '#,##0',
  '0%',
  { id: 14, code: '0' },
  '"EMP-"@',
];

const WORDS = ['usr', 'Ünal', 'R&D', '人事', '😀', 'a<b', '"quoted"', 'two words', "O'Neil"];
const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const inline = (text: string): CellXml => ({
  sees: text,
  attributes: 't="inlineStr"',
  xml: `<is><t>${escaped(text)}</t></is>`,
});
const digits = (random: SeededRandom, length: number) =>
  Array.from({ length }, (_, at) => random.int(at === 0 ? 1 : 0, 9)).join('');

/** Kinds of cells, each drawn at random. `shared` adds an element to the table of shared texts and returns its number. */
const KINDS: Record<string, (random: SeededRandom, text: string, shared: (xml: string) => number) => CellXml> = {
  'text, shared': (_, text, shared) => ({
    sees: text,
    attributes: 't="s"',
    xml: `<v>${shared(`<t>${escaped(text)}</t>`)}</v>`,
  }),
  'text, inline': (_, text) => inline(text),
  'text, rich': (_, text, shared) => {
    const runs = `<r><t>${escaped(text)}</t></r><r><rPr><b/></rPr><t>-2</t></r>`;
    return { sees: `${text}-2`, attributes: 't="s"', xml: `<v>${shared(runs)}</v>` };
  },
  'text with a reading, shared': (_, text, shared) => {
    const xml = `<t>${escaped(text)}</t><rPh sb="0" eb="1"><t>ジンジ</t></rPh><phoneticPr fontId="1"/>`;
    return { sees: text, attributes: 't="s"', xml: `<v>${shared(xml)}</v>` };
  },
  'text with a reading, inline': (_, text) => ({
    sees: text,
    attributes: 't="inlineStr"',
    xml: `<is><t>${escaped(text)}</t><rPh sb="0" eb="1"><t>ジンジ</t></rPh></is>`,
  }),
  'text, inline, next to <v>': (_, text) => ({
    sees: text,
    attributes: 't="inlineStr"',
    xml: `<v>0</v><is><t>${escaped(text)}</t></is>`,
  }),
  'text with a format for texts': (_, text) => ({
    ...inline(text),
    sees: `EMP-${text}`,
    attributes: 's="9" t="inlineStr"',
  }),
  'formula with a text': (_, text) => ({ sees: text, attributes: 't="str"', xml: `<f>A1</f><v>${escaped(text)}</v>` }),
  'formula with a blank text': () => ({ sees: '', attributes: 't="str"', xml: '<f>A1</f><v></v>' }),
  'formula with a number': (random) => {
    const number = digits(random, 5);
    return { sees: number, xml: `<f>A1</f><v>${number}</v>` };
  },
  'formula without a result': () => ({ sees: undefined, xml: '<f>UPPER("it")</f>' }),
  'formula with an empty result': () => ({ sees: undefined, xml: '<f>UPPER("it")</f><v/>' }),
  'formula that failed': () => ({ sees: '#N/A', attributes: 't="e"', xml: '<f>NA()</f><v>#N/A</v>' }),
  number: (random) => {
    const number = digits(random, random.int(1, 11));
    return { sees: number, xml: `<v>${number}</v>` };
  },
  'number with an exponent': (random) => {
    const number = random.int(11, 99);
    return { sees: `${number}000`, xml: `<v>${number / 10}E+4</v>` };
  },
  'number with more digits than Excel keeps': (random) => ({
    sees: undefined,
    xml: `<v>${digits(random, random.int(16, 20))}</v>`,
  }),
  'number that was computed': () => ({ sees: '0.3', xml: '<v>0.30000000000000004</v>' }),
  'number, 00000': (random) => {
    const number = digits(random, random.int(1, 4));
    return { sees: number.padStart(5, '0'), attributes: 's="1"', xml: `<v>${number}</v>` };
  },
  'number, "EMP-"00000': (random) => {
    const number = digits(random, random.int(1, 5));
    return { sees: `EMP-${number.padStart(5, '0')}`, attributes: 's="2"', xml: `<v>${number}</v>` };
  },
  'number, 000-00-0000': (random) => {
    const number = digits(random, 9);
    return { sees: number.replace(/(...)(..)(....)/, '$1-$2-$3'), attributes: 's="3"', xml: `<v>${number}</v>` };
  },
  'number, #,##0': (random) => {
    const number = digits(random, 5);
    return { sees: number.replace(/(...)$/, ',$1'), attributes: 's="6"', xml: `<v>${number}</v>` };
  },
  'number, 0%': () => ({ sees: '50%', attributes: 's="7"', xml: '<v>0.5</v>' }),
  'number whose format has the number of a date': (random) => {
    const number = digits(random, 5);
    return { sees: number, attributes: 's="8"', xml: `<v>${number}</v>` };
  },
  'date, yyyy-mm-dd': (random) => {
    const days = random.int(0, 3000);
    const sees = new Date(Date.UTC(2020, 0, 1 + days)).toISOString().slice(0, 10);
    return { sees, attributes: 's="4"', xml: `<v>${43_831 + days}</v>` };
  },
  'date, d-mmm': () => ({ sees: '12-Oct', attributes: 's="5"', xml: '<v>46307</v>' }),
  boolean: (random) => {
    const isTrue = random.chance(0.5);
    return { sees: String(isTrue), attributes: 't="b"', xml: `<v>${isTrue ? 1 : 0}</v>` };
  },
  'blank cell': () => ({ sees: '', attributes: 's="1"', xml: '' }),
  'blank shared text': () => ({ sees: '', attributes: 't="s"', xml: '' }),
  'blank boolean': () => ({ sees: '', attributes: 't="b"', xml: '' }),
  'blank number': () => ({ sees: '', attributes: 't="n"', xml: '<v/>' }),
};

export const CELL_KINDS: readonly string[] = [...Object.keys(KINDS), 'merged cell', 'cell of a hidden row'];

/** The columns of a workbook: the first has texts, the second merged cells, and the others cells of any kind. */
export const COLUMNS = 10;

/** Makes a workbook of one sheet, and says what a person sees in each of its cells. */
export function randomWorkbook(random: SeededRandom): { bytes: Buffer; rows: RandomCell[][] } {
  const strings: string[] = ['<si><t>the first shared text</t></si>'];
  const shared = (xml: string) => strings.push(`<si>${xml}</si>`) - 1;
  const hasReferences = random.chance(0.7);
  const merges: string[] = [];
  let merged = { text: '', left: 0 };
  const rows: RandomCell[][] = [];
  const height = random.int(5, 40);
  const data = Array.from({ length: height }, (_, at) => {
    const line = at + 1;
    const isHidden = random.chance(0.05);
    const cells: CellXml[] = [inline(`row ${line}`)];
    const kinds = ['text, inline'];
    if (merged.left === 0) {
      merged = { text: `merged ${line}`, left: Math.min(random.int(1, 4), height - at) };
      if (merged.left > 1) merges.push(`<mergeCell ref="B${line}:B${line + merged.left - 1}"/>`);
      cells.push(inline(merged.text));
      kinds.push(merged.left > 1 ? 'merged cell' : 'text, inline');
    } else {
      cells.push({ sees: merged.text, xml: '' });
      kinds.push('merged cell');
    }
    merged.left--;
    for (let column = 2; column < COLUMNS; column++) {
      const kind = random.pick(Object.keys(KINDS));
      const text = `${random.pick(WORDS)}_${random.int(1, 9999)}`;
      cells.push(KINDS[kind]?.(random, text, shared) ?? inline(text));
      kinds.push(kind);
    }
    rows.push(
      cells.map(({ sees }, column) => ({
        kind: isHidden ? 'cell of a hidden row' : (kinds[column] ?? ''),
        sees: isHidden ? undefined : sees,
      })),
    );
    const xml = cells.map(({ attributes = '', xml }, column) => {
      const reference = hasReferences ? ` r="${String.fromCharCode(65 + column)}${line}"` : '';
      return `<c${reference} ${attributes}>${xml}</c>`;
    });
    return `<row${hasReferences ? ` r="${line}"` : ''}${isHidden ? ' hidden="1"' : ''}>${xml.join('')}</row>`;
  });
  const after = merges.length === 0 ? '' : `<mergeCells>${merges.join('')}</mergeCells>`;
  const sheet = { name: 'Team', data: data.join(''), after };
  return { bytes: workbook([sheet], { strings: strings.join(''), formats: FORMATS }), rows };
}
