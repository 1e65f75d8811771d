import { fencedCode, markdownParagraph, markdownTable } from './markdown.ts';
import { cleanLine } from './sanitize.ts';
import { renderTable, type Table, type TextTarget } from './table.ts';
import { type Insertion, plainText, renderText, type Text } from './text.ts';
import { wrapText } from './wrap.ts';

/**
 * Text for people is a sequence of blocks:
 * - a text, wrapped on a terminal
 * - a table
 * - `items`: a list, one item a line
 * - `code`: lines to copy, such as a path or JSON, never wrapped; the language is for Markdown
 * - `notice`: what a command did, or that there is nothing to show
 */
export type Block = Text | Table | ItemList | Code | Notice;

export interface ItemList {
  readonly items: readonly Insertion[];
}

export interface Code {
  readonly code: readonly string[];
  readonly language?: string;
}

/** Written to standard error, except in Markdown, which may be a report that would be empty without it. */
export interface Notice {
  readonly notice: Text;
}

/** Yields a block for a terminal or a pipe, in pieces. A notice is nothing here. */
export async function* renderBlock(block: Block, target: TextTarget): AsyncGenerator<string> {
  if ('rows' in block) yield* renderTable(block, target);
  else if ('items' in block) yield block.items.map((item) => renderLines(item, target)).join('');
  else if ('code' in block) yield block.code.map((line) => `${cleanLine(line)}\n`).join('');
  else if (!('notice' in block)) yield renderLines(block, target);
}

/** Yields a block as Markdown, in pieces. */
export function* renderMarkdownBlock(block: Block): Generator<string> {
  if ('rows' in block) yield* markdownTable(block);
  else if ('items' in block) yield block.items.map((item) => `- ${markdownParagraph(plainText(item))}\n`).join('');
  else if ('code' in block) yield fencedCode(block.code.map(cleanLine), block.language);
  else yield `${markdownParagraph(plainText('notice' in block ? block.notice : block))}\n`;
}

function renderLines(content: Insertion, { width, paint }: TextTarget): string {
  const rendered = renderText(content, paint);
  return `${width === undefined ? rendered : wrapText(rendered, width, '  ')}\n`;
}
