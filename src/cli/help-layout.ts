import type { Argument, Command, Help, HelpConfiguration, Option } from 'commander';
import { helpTextOf, helpTopicOf } from '../commands/define-command.ts';
import { joinText, style, type Text, text } from '../output/text.ts';
import { DEFAULT_COLUMNS, wrapText } from '../output/wrap.ts';
import { pathOf } from './command-line.ts';

/** The layout of help: usage, commands or arguments, examples, the command's own options, notes. */
export const HELP_LAYOUT: HelpConfiguration = {
  sortSubcommands: false,
  optionDescription: describeTerm,
  argumentDescription: describeTerm,
  formatHelp,
};

const REFERENCES = ['Global options: orgadm help options', 'Exit codes: orgadm help exit-codes'];
const REFERENCE_GAP = '     ';

/** Inserts the allowed values into a description, before the parentheses at its end. */
function describeTerm({ description, argChoices }: Option | Argument): string {
  return argChoices === undefined ? description : description.replace(/( \([^)]*\))?$/, `: ${argChoices.join(', ')}$1`);
}

function formatHelp(command: Command, helper: Help): string {
  const columns = helper.helpWidth ?? DEFAULT_COLUMNS;
  const topic = helpTopicOf(command);
  const options = ownOptions(command, helper).filter((option) => !topic?.groups.includes(groupOf(option)));
  const positionals = helper.visibleArguments(command);
  const commands = verbs(command, helper);
  const terms = [
    ...positionals.map((positional) => helper.argumentTerm(positional)),
    ...commands.map(({ term }) => term),
    ...options.map((option) => helper.optionTerm(option)),
  ];
  const width = Math.max(0, ...terms.map((term) => term.length));
  const { examples, notes } = splitExamples(layOutText(helpTextOf(command)));
  const lines = [...(topic === undefined ? [] : [`More options: orgadm help ${topic.name}`]), ...REFERENCES];
  const references = lines.join(REFERENCE_GAP);

  const parts = [
    helper.commandDescription(command),
    section('USAGE', [`  ${renderUsage(command)}`]),
    section(
      'COMMANDS',
      commands.map(({ term, summary }) => renderItem(term, width, summary)),
    ),
    section(
      'ARGUMENTS',
      positionals.map((positional) =>
        renderItem(helper.argumentTerm(positional), width, helper.argumentDescription(positional)),
      ),
    ),
    examples,
    ...groups(options, width, helper),
    notes,
    references.length <= columns ? references : lines.join('\n'),
  ];
  return `${wrapText(parts.filter((part) => part !== '').join('\n\n'), columns)}\n`;
}

function renderItem(term: string, width: number, description: string): string {
  return `  ${term.padEnd(width)}  ${description}`;
}

/** Options go last: a list of values, as of `domain status`, reads better next to the command. */
export function renderUsage(command: Command): string {
  const rest = command.commands.length > 0 ? '<command>' : command.usage().replace(/^\[options\] ?/, '');
  return [pathOf(command), rest, '[options]'].filter((part) => part !== '').join(' ');
}

/** The options of a command other than the global ones and `--help`. */
function ownOptions(command: Command, helper: Help): Option[] {
  if (command.parent === null) return [];
  return helper.visibleOptions(command).filter(({ long }) => long !== '--help');
}

/** The commands below this one, by the words that call them: `bulk-add`, or `people bulk-add` for the program. */
function verbs(command: Command, helper: Help): { term: string; summary: string }[] {
  return helper.visibleCommands(command).flatMap((sub) => {
    const below = verbs(sub, helper);
    if (below.length === 0) return [{ term: sub.name(), summary: helper.subcommandDescription(sub) }];
    return below.map(({ term, summary }) => ({ term: `${sub.name()} ${term}`, summary }));
  });
}

/** Splits the text of a command into its examples and the rest. */
function splitExamples(text: string): { examples: string; notes: string } {
  const examples = /^EXAMPLES\n(?: .*\n?|\n(?= ))+/m.exec(text)?.[0] ?? '';
  const notes = text.replace(examples, '').replace(/\n{3,}/g, '\n\n');
  return { examples: examples.trim(), notes: notes.trim() };
}

/** Longer ones are sentences. */
const HEADING = /^[A-Z][\w ]{0,30}:$/;

/**
 * Lays out a help text before it is wrapped: its headings (`Examples:`) in capitals, and each paragraph, each item of a list
 * and each example on one line.
 */
export function layOutText(text: string): string {
  const lines: string[] = [];
  for (const line of text.replace(/ \\\n +/g, ' ').split('\n')) {
    const last = lines.at(-1) ?? '';
    if (continues(last, line)) lines.push(`${lines.pop()} ${line.trim()}`);
    else lines.push(last === '' && HEADING.test(line) ? line.slice(0, -1).toUpperCase() : line);
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

/** Returns a help text that is laid out, with its headings in bold if there is color. */
export function helpText(layout: string): Text {
  const lines = layout.trimEnd().split('\n');
  return joinText(
    lines.map((line) => (/^[A-Z][A-Z -]+$/.test(line) ? style.strong(line) : line)),
    text`\n`,
  );
}

/** Renders the global options with their descriptions, as in the help of a command, but not wrapped. */
export function renderGlobalOptions(program: Command): string {
  const helper = program.createHelp();
  const options = helper.visibleOptions(program);
  const width = Math.max(...options.map((option) => helper.optionTerm(option).length));
  return groups(options, width, helper).join('\n\n');
}

/** Renders the topic of a command: its rare options and their details. Empty if it has none. Not wrapped. */
export function renderHelpTopic(command: Command): string {
  const topic = helpTopicOf(command);
  if (topic === undefined) return '';
  const helper = command.createHelp();
  const options = ownOptions(command, helper).filter((option) => topic.groups.includes(groupOf(option)));
  const width = Math.max(...options.map((option) => helper.optionTerm(option).length));
  const introduction = `Less common options of ${pathOf(command)}, in addition to those in its help.`;
  return [introduction, ...groups(options, width, helper), topic.text].join('\n\n');
}

/** Renders each group of options under its heading, the terms `width` columns wide. */
function groups(options: readonly Option[], width: number, helper: Help): string[] {
  const item = (option: Option) => renderItem(helper.optionTerm(option), width, helper.optionDescription(option));
  return [...helper.groupItems<Option>([], [...options], groupOf)].map(([heading, members]) =>
    section(heading.replace(/:$/, '').toUpperCase(), members.map(item)),
  );
}

function groupOf(option: Option): string {
  return option.helpGroupHeading ?? 'Options:';
}

/** Renders a heading and its lines; empty if there are none. */
function section(heading: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : [heading, ...lines].join('\n');
}
