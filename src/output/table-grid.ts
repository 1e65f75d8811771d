import Table from 'cli-table3';
import { displayWidth } from './text-width.ts';

/** Columns side by side, as cli-table3 is to draw them. */
export interface GridColumn {
  /** Terminal columns, 1 or more. */
  width: number;
  align: 'left' | 'right';
}

/** One line of one cell: its text, which sets the width, and what is to be seen of it, with colour. */
export interface GridCell {
  text: string;
  painted: string;
}

/** What stands between two columns. */
export const GUTTER = '  ';

/** Rows drawn at a time, because the time that cli-table3 takes grows with the square of the rows. */
const BLOCK_ROWS = 20;

/**
 * Stands for one terminal column of a text that cli-table3 would measure wrongly: its idea of wide characters is an old
 * one. No cell can be taken for it, as only ASCII text is drawn without stand-ins.
 */
const STAND_IN = '\ue000';
const STAND_INS = new RegExp(`${STAND_IN}+`, 'g');
const ASCII = /^[\x20-\x7e]*$/;

const NO_BORDERS = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: GUTTER,
};
const RULE_BELOW = { ...NO_BORDERS, bottom: '─', 'bottom-mid': GUTTER };
const STYLE = { 'padding-left': 0, 'padding-right': 0, head: [], border: [], compact: true };

/**
 * The lines of a grid without borders, columns two spaces apart, no spaces at the ends of lines; with a rule as its last
 * line if asked. Text wider than its column is neither cut nor counted: that is for a last column that nothing follows.
 */
export function drawGrid(
  columns: readonly GridColumn[],
  rows: readonly (readonly GridCell[])[],
  { rule = false } = {},
): string[] {
  const lines: string[] = [];
  for (let at = 0; at < rows.length; at += BLOCK_ROWS) {
    const last = at + BLOCK_ROWS >= rows.length;
    lines.push(...drawBlock(columns, rows.slice(at, at + BLOCK_ROWS), rule && last ? RULE_BELOW : NO_BORDERS));
  }
  return lines;
}

function drawBlock(
  columns: readonly GridColumn[],
  rows: readonly (readonly GridCell[])[],
  chars: typeof NO_BORDERS,
): string[] {
  const table = new Table({
    chars,
    style: STYLE,
    colWidths: columns.map(({ width }) => width),
    colAligns: columns.map(({ align }) => align),
  });
  const kept: string[] = [];
  for (const row of rows) {
    table.push(row.map((cell, index) => drawable(cell, columns[index]?.width ?? 1, kept)));
  }
  // Each row is one line: what is held comes back in the order in which it was given.
  const texts = kept.values();
  return table
    .toString()
    .replace(STAND_INS, () => texts.next().value ?? '')
    .split('\n')
    .map((line) => line.trimEnd());
}

/** The cell as cli-table3 gets it: the text itself where it can measure it, else stand-ins for the text that is held. */
function drawable({ text, painted }: GridCell, width: number, kept: string[]): string {
  if (text.length <= width && ASCII.test(text)) return painted;
  const used = displayWidth(text, width);
  // A combining mark of its own, say: it takes no room, but there is no stand-in of no width.
  kept.push(used === 0 ? ` ${painted}` : painted);
  return STAND_IN.repeat(Math.min(Math.max(used, 1), width));
}
