/** A name with its description: an option, an argument, an exit code. */
export interface Item {
  term: string;
  description: string;
}

export type HelpBlock =
  | { type: 'heading'; text: string }
  | { type: 'paragraph'; text: string }
  | { type: 'items'; items: Item[] }
  /** Lines as they are: commands, JSON. */
  | { type: 'preformatted'; lines: string[] };

/** A part of a help text. */
export interface Section {
  heading?: string;
  blocks: HelpBlock[];
}

/**
 * Parses a text as help prints it: paragraphs, headings (`Examples:`), and below either of them indented lines, which are
 * lists of names with descriptions, or lines to keep as they are.
 */
export function parseHelpText(text: string): Section[] {
  const first: Section = { blocks: [] };
  const sections = [first];
  const lines = text.split('\n');
  while (lines.length > 0) {
    const isIndented = /^ /.test(lines[0] ?? '');
    const end = lines.findIndex((line) => line === '' || /^ /.test(line) !== isIndented);
    const part = lines.splice(0, end === -1 ? lines.length : Math.max(end, 1)).filter((line) => line !== '');
    const [only = '', ...others] = part;
    const heading = others.length === 0 && /^ /.test(lines[0] ?? '') ? headingIn(only) : undefined;
    const section = sections.at(-1) ?? first;
    if (heading !== undefined) sections.push({ heading, blocks: [] });
    else if (isIndented) section.blocks.push(...parseIndented(part));
    // The content of a heading is indented; an unindented paragraph starts a new section.
    else if (part.length > 0) addParagraph(sections, part.join(' '));
  }
  return sections.filter(({ heading, blocks }) => heading !== undefined || blocks.length > 0);
}

function addParagraph(sections: Section[], text: string): void {
  const last = sections.at(-1);
  const block: HelpBlock = { type: 'paragraph', text };
  if (last !== undefined && last.heading === undefined) last.blocks.push(block);
  else sections.push({ blocks: [block] });
}

/** `Examples` for the line `Examples:` or `EXAMPLES`; undefined for a sentence. */
function headingIn(line: string): string | undefined {
  if (/^[A-Z][A-Z ]+$/.test(line)) return line.charAt(0) + line.slice(1).toLowerCase();
  return /^[A-Z][^.:;]{0,40}:$/.test(line) ? line.slice(0, -1) : undefined;
}

function parseIndented(lines: readonly string[]): HelpBlock[] {
  const indent = Math.min(...lines.map((line) => line.search(/\S/)));
  const texts = lines.map((line) => line.slice(indent));
  const isCode = texts.some((text) => /^[$#] /.test(text));
  if (isCode) return [{ type: 'preformatted', lines: texts }];
  if (!texts.some((text) => parseItem(text))) {
    const isProse = texts.at(-1)?.endsWith('.');
    return [isProse ? { type: 'paragraph', text: texts.join(' ') } : { type: 'preformatted', lines: texts }];
  }
  const blocks: HelpBlock[] = [];
  for (const text of texts) {
    const item = parseItem(text);
    const last = blocks.at(-1);
    if (item !== undefined && last?.type === 'items') last.items.push(item);
    else if (item !== undefined) blocks.push({ type: 'items', items: [item] });
    else if (last?.type === 'items' && /^ /.test(text)) continueItem(last.items, text.trim());
    else if (last?.type === 'paragraph') last.text += ` ${text.trim()}`;
    else blocks.push({ type: 'paragraph', text: text.trim() });
  }
  return blocks;
}

function continueItem(items: Item[], text: string): void {
  const item = items.at(-1);
  if (item !== undefined) item.description += ` ${text}`;
}

/** A name, at least two spaces, and a description. */
function parseItem(text: string): Item | undefined {
  const [, term, description] = /^(\S.*?) {2,}(\S.*)$/.exec(text) ?? [];
  return term === undefined || description === undefined ? undefined : { term, description };
}
