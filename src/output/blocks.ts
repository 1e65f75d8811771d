import { cleanLine } from './sanitize.ts';
import { renderTable, type Table, type TextTarget } from './table.ts';
import { type Insertion, renderText, type Text } from './text.ts';

/**
 * Text for people is a sequence of blocks:
 * - a text
 * - a table
 * - `items`: a list, one item a line
 * - `code`: lines to copy, such as a path or JSON
 * - `notice`: what a command did, or that there is nothing to show
 */
export type Block = Text | Table | ItemList | Code | Notice;

export interface ItemList {
  readonly items: readonly Insertion[];
}

export interface Code {
  readonly code: readonly string[];
}

/** Written to standard error. */
export interface Notice {
  readonly notice: Text;
}

/** Yields a block for a terminal or a pipe, in pieces. A notice is nothing here. */
export async function* renderBlock(block: Block, target: TextTarget): AsyncGenerator<string> {
  if ('rows' in block) yield* renderTable(block, target);
  else if ('items' in block) yield block.items.map((item) => `${renderText(item, target.paint)}\n`).join('');
  else if ('code' in block) yield block.code.map((line) => `${cleanLine(line)}\n`).join('');
  else if (!('notice' in block)) yield `${renderText(block, target.paint)}\n`;
}
