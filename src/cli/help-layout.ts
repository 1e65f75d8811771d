import { type Argument, type Command, Help, type HelpConfiguration, type Option } from 'commander';
import { helpTextOf, helpTopicOf } from '../commands/define-command.ts';
import { joinText, style, type Text, text } from '../output/text.ts';
import { wrapText } from '../output/wrap.ts';
import { commandsBelow, pathOf } from './command-line.ts';

/**
 * Adapts the help of Commander: a command lists all commands below it, examples come before the options, notes after them, and
 * global options are on a page of their own.
 */
export const HELP_LAYOUT: HelpConfiguration = {
  // `helpText` wraps the page.
  helpWidth: Number.MAX_SAFE_INTEGER,
  styleTitle: (title) => (title === 'Usage:' ? 'USAGE\n ' : renderHeading(title)),
  commandUsage: renderUsage,
  commandDescription: (command) => joinParts([command.description(), splitExamples(command).examples]),
  visibleCommands: leavesBelow,
  subcommandTerm: (command) => pathOf(command).replace(/^\w+ /, ''),
  visibleOptions: (command) => ownOptions(command).filter((option) => !isInTopic(option, command)),
  optionDescription: describeTerm,
  argumentDescription: describeTerm,
  formatHelp(command, helper) {
    const topic = helpTopicOf(command);
    const references = [
      ...(topic === undefined ? [] : [`More options: orgadm help ${topic.name}`]),
      'Global options: orgadm help options',
      'Exit codes: orgadm help exit-codes',
    ];
    return joinParts([formatPage(command, helper), splitExamples(command).notes, references.join('\n')]);
  },
};

/** Renders the parts of a page that Commander knows. */
function formatPage(command: Command, helper: Help): string {
  return Help.prototype.formatHelp.call(helper, command, helper).trim();
}

/** Renders a page of options, which are not in the help of the command. */
function formatOptions(command: Command, options: readonly Option[], description: string): string {
  const only: HelpConfiguration = {
    commandDescription: () => description,
    visibleArguments: () => [],
    visibleCommands: () => [],
    visibleOptions: () => [...options],
  };
  return formatPage(command, Object.assign(command.createHelp(), only));
}

/** Renders the global options. */
export function renderGlobalOptions(program: Command): string {
  return formatOptions(program, new Help().visibleOptions(program), 'These options work with every command.');
}

/** Renders the topic of a command: its rare options and their details. Empty if it has none. */
export function renderHelpTopic(command: Command): string {
  const topic = helpTopicOf(command);
  if (topic === undefined) return '';
  const options = ownOptions(command).filter((option) => isInTopic(option, command));
  const description = `Less common options of ${pathOf(command)}, in addition to those in its help.`;
  return joinParts([formatOptions(command, options, description), layOutText(topic.text)]);
}

/** Options go last: a list of values, as of `domain status`, reads better next to the command. */
export function renderUsage(command: Command): string {
  const rest = command.commands.length > 0 ? '<command>' : command.usage().replace(/^\[options\] ?/, '');
  return [pathOf(command), rest, '[options]'].filter((part) => part !== '').join(' ');
}

/** Inserts the allowed values into a description, before the parentheses at its end. */
function describeTerm({ description, argChoices }: Option | Argument): string {
  return argChoices === undefined ? description : description.replace(/( \([^)]*\))?$/, `: ${argChoices.join(', ')}$1`);
}

/** The commands below this one that have an action. */
function leavesBelow(command: Command): Command[] {
  return commandsBelow(command).flatMap((sub) => (sub.commands.length > 0 ? leavesBelow(sub) : [sub]));
}

/** The options of a command other than the global ones. */
function ownOptions({ parent, options }: Command): Option[] {
  return parent === null ? [] : options.filter(({ hidden }) => !hidden);
}

function isInTopic({ helpGroupHeading = '' }: Option, command: Command): boolean {
  return helpTopicOf(command)?.groups.includes(helpGroupHeading) ?? false;
}

/** Splits the text of a command into its examples and the rest. */
function splitExamples(command: Command): { examples: string; notes: string } {
  const layout = layOutText(helpTextOf(command));
  const examples = /^EXAMPLES\n(?: .*\n?|\n(?= ))+/m.exec(layout)?.[0] ?? '';
  return { examples: examples.trimEnd(), notes: layout.replace(examples, '').trim() };
}

function joinParts(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n\n');
}

function renderHeading(heading: string): string {
  return heading.replace(/:$/, '').toUpperCase();
}

/** Longer ones are sentences. */
const HEADING = /^[A-Z][\w ]{0,30}:$/;

/** Lays out a help text: headings in capitals, and each paragraph, each item of a list and each example on one line. */
export function layOutText(text: string): string {
  const lines: string[] = [];
  for (const line of text
    .replace(/^\n|\s+$/g, '')
    .replace(/ \\\n +/g, ' ')
    .split('\n')) {
    const last = lines.at(-1) ?? '';
    if (continues(last, line)) lines.push(`${lines.pop()} ${line.trim()}`);
    else lines.push(last === '' && HEADING.test(line) ? renderHeading(line) : line);
  }
  return lines.join('\n');
}

/** Whether a line continues the paragraph or the item of a list before it. */
function continues(last: string, line: string): boolean {
  if (last === '' || line === '' || /^[A-Z -]+$|^ *[$#] /.test(last)) return false;
  const indent = line.search(/\S/);
  const indentBefore = last.search(/\S/);
  return indent === 0 ? indentBefore === 0 : indent > indentBefore && indentBefore > 0;
}

/** Returns a page of the help as text: wrapped, with its headings in bold if there is color. */
export function helpText(page: string, columns: number): Text {
  const lines = wrapText(page.trimEnd().replace(/\n{3,}/g, '\n\n'), columns).split('\n');
  return joinText(
    lines.map((line) => (/^[A-Z][A-Z -]+$/.test(line) ? style.strong(line) : line)),
    text`\n`,
  );
}
