import type { HelpBlock, HelpItems } from '../../src/commands/orgadm-command.ts';
import type { CommandPage, Documentation } from './command-pages.ts';

/** Longer input lines are bad style in a manual page. */
const LINE_LENGTH = 76;

export interface ManPageOptions {
  version: string;
  /** `2026-11-22` */
  date: string;
}

/** Renders the manual pages, in the man(7) language, by file name: `orgadm.1` and one for each command. */
export function renderManPages(documentation: Documentation, options: ManPageOptions): Map<string, string> {
  const { program, commands } = documentation;
  const pages = [
    renderProgram(documentation, options),
    ...commands.map((page) => renderCommandPage(page, program, options)),
  ];
  return new Map([program, ...commands].map((page, at) => [`${pageName(page)}.1`, pages[at] ?? '']));
}

function renderProgram({ program, commands, topics }: Documentation, options: ManPageOptions): string {
  const list = commands.map(({ words, summary }) => [words.slice(1).join(' '), summary]);
  return join([
    ...head(program, options),
    '.SH COMMANDS',
    items(Object.fromEntries(list)),
    ...renderSections(program),
    ...renderOptions('GLOBAL OPTIONS', program.options),
    ...topics.flatMap(({ name, blocks }) => [
      `.SH ${quoteRoff(name.replaceAll('-', ' ').toUpperCase())}`,
      ...renderBlocks(blocks),
    ]),
    seeAlso(commands),
  ]);
}

function renderCommandPage(page: CommandPage, program: CommandPage, options: ManPageOptions): string {
  return join([
    ...head(page, options),
    ...(Object.keys(page.arguments).length === 0 ? [] : ['.SH ARGUMENTS', items(page.arguments)]),
    ...renderOptions('OPTIONS', page.options),
    ...renderSections(page),
    '.SH GLOBAL OPTIONS',
    `For the options of every command, exit codes, and environment variables, see\n${reference(program)}.`,
    seeAlso([program]),
  ]);
}

function head(page: CommandPage, { version, date }: ManPageOptions): string[] {
  const title = pageName(page).toUpperCase();
  return [
    `.TH ${quoteRoff(title)} 1 "${date}" ${quoteRoff(`orgadm ${version}`)} "orgadm manual"`,
    '.SH NAME',
    `${escapeRoff(pageName(page))} \\-\n${wrapRoff(page.summary)}`,
    '.SH SYNOPSIS',
    term(page.usage),
    '.SH DESCRIPTION',
    wrapRoff(page.description),
  ];
}

function renderOptions(heading: string, groups: readonly HelpItems[]): string[] {
  if (groups.length === 0) return [];
  return [
    `.SH ${heading}`,
    ...groups.flatMap((group) => [...(groups.length === 1 ? [] : subheading(group)), items(group.items)]),
  ];
}

/** The sections after the options: blocks without a heading as one, `NOTES`, then the others. */
function renderSections({ blocks }: CommandPage): string[] {
  const notes = blocks.filter((block) => headingOf(block) === undefined);
  return [
    ...(notes.length === 0 ? [] : ['.SH "NOTES"', ...renderBlocks(notes)]),
    ...blocks.flatMap((block) => {
      const heading = headingOf(block);
      return heading === undefined ? [] : [`.SH ${quoteRoff(heading.toUpperCase())}`, renderRoffBlock(block)];
    }),
  ];
}

function headingOf(block: HelpBlock): string | undefined {
  return typeof block === 'string' ? undefined : block.heading;
}

function subheading(block: HelpBlock): string[] {
  const heading = headingOf(block);
  return heading === undefined ? [] : [`.SS ${quoteRoff(heading)}`];
}

function renderBlocks(blocks: readonly HelpBlock[]): string[] {
  return blocks.flatMap((block, at) => {
    const isTerms = typeof block === 'object' && 'items' in block;
    const startsParagraph = at > 0 && headingOf(block) === undefined && !isTerms;
    return [...(startsParagraph ? ['.PP'] : []), ...subheading(block), renderRoffBlock(block)];
  });
}

/** Renders a block without its heading. */
function renderRoffBlock(block: HelpBlock): string {
  if (typeof block === 'string') return wrapRoff(block);
  if ('items' in block) return items(block.items);
  return ['.RS 2', '.nf', ...block.lines.map(escapeRoff), '.fi', '.RE'].join('\n');
}

function items(list: HelpItems['items']): string {
  return Object.entries(list)
    .flatMap(([name, description]) => ['.TP', term(name), wrapRoff(description)])
    .join('\n');
}

function seeAlso(pages: readonly CommandPage[]): string {
  return ['.SH SEE ALSO', pages.map(reference).join(',\n')].join('\n');
}

function reference(page: CommandPage): string {
  return `\\fB${escapeRoff(pageName(page))}\\fR(1)`;
}

function pageName({ words }: CommandPage): string {
  return words.join('-');
}

/** Renders options and literal words in bold, placeholders in italics. */
function term(source: string): string {
  return source
    .split(/(<[^>]*>|\[[^\]]*\])/)
    .map((part, at) => (part === '' ? '' : `\\f${at % 2 === 1 ? 'I' : 'B'}${escapeRoff(part)}\\fR`))
    .join('');
}

/** Wraps text at LINE_LENGTH columns. */
function wrapRoff(source: string): string {
  const lines: string[] = [];
  for (const word of escapeRoff(source).split(/\s+/)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= LINE_LENGTH) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.map((line) => line.replace(/^\./, '\\&.')).join('\n');
}

const ESCAPED: Readonly<Record<string, string>> = {
  '\\': '\\e',
  '-': '\\-',
  "'": '\\(aq',
  '`': '\\(ga',
  '^': '\\(ha',
  '~': '\\(ti',
  '…': '...',
};

/** Text that roff prints as it is, in every locale: quotes and hyphens stay ASCII, so that examples can be copied. */
function escapeRoff(source: string): string {
  return source.replace(/[\\'`^~…-]/g, (sign) => ESCAPED[sign] ?? sign).replace(/^\./, '\\&.');
}

/** An argument of a macro. */
function quoteRoff(source: string): string {
  return `"${escapeRoff(source).replaceAll('"', '""')}"`;
}

function join(parts: readonly string[]): string {
  return `${parts.join('\n')}\n`;
}
