import { type Argument, Help, type Option } from 'commander';
import type { HelpBlock, HelpItems, HelpText, HelpTopic, OrgadmCommand } from '../commands/orgadm-command.ts';
import type { Output } from '../output/output.ts';
import { DEFAULT_COLUMNS, terminalColumns } from '../output/style.ts';
import { joinText, style, type Text, text } from '../output/text.ts';
import type { Host } from '../util/host.ts';
import { pathOf } from './command-line.ts';

/** Maximum width of help on a terminal, in columns: longer lines are hard to read. */
const MAX_COLUMNS = 100;

/** Returns the help of the program, a noun, or a command: examples come before the options, notes after them. */
export function helpPage(command: OrgadmCommand): HelpBlock[] {
  const { helpText, topic } = command;
  const ownOptions = command.parent === null ? [] : command.options.filter((option) => !isInTopic(option, topic));
  const commands = leavesBelow(command).map((leaf) => [pathOf(leaf).replace('orgadm ', ''), leaf.summary()]);
  const references = [
    ...(topic === undefined ? [] : [`More options: orgadm help ${topic.name}`]),
    'Global options: orgadm help options',
    'Exit codes: orgadm help exit-codes',
  ];
  return [
    { heading: 'Usage', lines: [renderUsage(command)] },
    command.description(),
    ...exampleBlocks(helpText.examples),
    ...itemBlocks('Arguments', describeArguments(command)),
    ...optionBlocks(ownOptions),
    ...itemBlocks('Commands', Object.fromEntries(commands)),
    ...(helpText.notes ?? []),
    references.join('\n'),
  ];
}

/** Returns the page of the global options. */
export function globalOptionsPage(program: OrgadmCommand): HelpBlock[] {
  return optionsPage(program, 'These options work with every command.', new Help().visibleOptions(program));
}

/** Returns the page of a topic: the rare options of a command and their details. */
export function topicPage(command: OrgadmCommand, topic: HelpTopic): HelpBlock[] {
  const description = `Less common options of ${pathOf(command)}, in addition to those in its help.`;
  const options = command.options.filter((option) => isInTopic(option, topic));
  return [...optionsPage(command, description, options), ...exampleBlocks(topic.examples), ...(topic.notes ?? [])];
}

function optionsPage(command: OrgadmCommand, description: string, options: readonly Option[]): HelpBlock[] {
  return [{ heading: 'Usage', lines: [renderUsage(command)] }, description, ...optionBlocks(options)];
}

/** Options go last: a list of values, as of `domain status`, reads better next to the command. */
export function renderUsage(command: OrgadmCommand): string {
  const rest = command.commands.length > 0 ? '<command>' : command.usage().replace(/^\[options\] ?/, '');
  return [pathOf(command), rest, '[options]'].filter((part) => part !== '').join(' ');
}

/** Returns a block with the examples, those with a comment in front apart; none without examples. */
export function exampleBlocks(examples: HelpText['examples'] = []): HelpBlock[] {
  if (examples.length === 0) return [];
  const lines = examples.flatMap((line, at) => {
    if (!line.startsWith('#')) return [`$ ${line}`];
    return at === 0 ? [line] : ['', line];
  });
  return [{ heading: 'Examples', lines }];
}

/** Returns the arguments of a command by name, with their descriptions. */
export function describeArguments({ registeredArguments }: OrgadmCommand): Record<string, string> {
  return Object.fromEntries(registeredArguments.map((argument) => [argument.name(), describeTerm(argument)]));
}

/** Returns a block for each group of options, without hidden ones. */
export function optionBlocks(options: readonly Option[]): HelpItems[] {
  const visible = options.filter(({ hidden }) => !hidden);
  const groups = new Help().groupItems([], visible, ({ helpGroupHeading = 'Options' }) => helpGroupHeading);
  return [...groups].map(([heading, members]) => ({
    heading,
    items: Object.fromEntries(members.map((option) => [option.flags, describeTerm(option)])),
  }));
}

function itemBlocks(heading: string, items: HelpItems['items']): HelpItems[] {
  return Object.keys(items).length === 0 ? [] : [{ heading, items }];
}

/** Inserts the allowed values into a description, before the parentheses at its end. */
function describeTerm({ description, argChoices }: Option | Argument): string {
  return argChoices === undefined ? description : description.replace(/( \([^)]*\))?$/, `: ${argChoices.join(', ')}$1`);
}

/** The commands below this one that have an action. */
function leavesBelow(command: OrgadmCommand): OrgadmCommand[] {
  return command.commands.flatMap((sub) => (sub.commands.length > 0 ? leavesBelow(sub) : [sub]));
}

function isInTopic({ helpGroupHeading = '' }: Option, topic: HelpTopic | undefined): boolean {
  return topic?.groups.includes(helpGroupHeading) ?? false;
}

/** Prints a page of help, wrapped for the terminal. */
export async function printHelp(page: readonly HelpBlock[], output: Output, { stdout }: Host): Promise<void> {
  await output.print(layOutPage(page, Math.min(terminalColumns(stdout) ?? DEFAULT_COLUMNS, MAX_COLUMNS)));
}

/** Returns a page of help as text, with its headings in bold if there is color. */
function layOutPage(page: readonly HelpBlock[], columns: number): Text {
  let termWidth = 0;
  const lines = page.flatMap((block, at) => {
    const previous = page[at - 1];
    if (!isItems(block)) termWidth = 0;
    else if (!isItems(previous)) termWidth = longestTerm(page.slice(at));
    const isContinued = at === 0 || (typeof previous === 'string' && previous.endsWith(':'));
    return [...(isContinued ? [] : ['']), ...layOutBlock(block, termWidth, columns)];
  });
  return joinText(lines, text`\n`);
}

function layOutBlock(block: HelpBlock, termWidth: number, columns: number): (string | Text)[] {
  if (typeof block === 'string') return block.split('\n').flatMap((line) => wrap(line, columns));
  const lines =
    'lines' in block
      ? block.lines.map((line) => line && `  ${line}`)
      : Object.entries(block.items).flatMap(([term, description]) =>
          wrapItem(`  ${term.padEnd(termWidth)}  `, description, columns),
        );
  const heading = block.heading === undefined ? [] : [style.strong(block.heading.toUpperCase())];
  return [...heading, ...lines];
}

/** A description that has less room than this next to its term goes below it; in columns. */
const MIN_DESCRIPTION = 30;

/** Returns the lines of an item: the description continues below its start, or goes below the term. */
function wrapItem(term: string, description: string, columns: number): string[] {
  const isBelow = columns - term.length < MIN_DESCRIPTION;
  const indent = ' '.repeat(isBelow ? 6 : term.length);
  const [first = '', ...others] = wrap(description, columns - indent.length).map((line) => indent + line);
  return isBelow ? [term.trimEnd(), first, ...others] : [term + first.slice(indent.length), ...others];
}

/** Wraps a line of ASCII at spaces. A longer word, such as a URL, is not broken. */
function wrap(text: string, columns: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const longer = `${lines.at(-1)} ${word}`;
    if (lines.length > 0 && longer.length <= columns) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

function isItems(block: HelpBlock | undefined): block is HelpItems {
  return typeof block === 'object' && 'items' in block;
}

/** Returns the columns of the longest term in the items at the start of some blocks, which share a column. */
function longestTerm(blocks: readonly HelpBlock[]): number {
  const end = blocks.findIndex((block) => !isItems(block));
  const lists = blocks.slice(0, end < 0 ? blocks.length : end).filter(isItems);
  return Math.max(...lists.flatMap(({ items }) => Object.keys(items).map((term) => term.length)));
}
