import type { Argument, Command, Help, HelpConfiguration, Option } from 'commander';
import { helpTextOf } from '../commands/help-text.ts';

/** Minimum width of a description next to its option, in columns. */
const MIN_WIDTH = 20;

/** The layout of help: usage, commands or arguments, examples, the command's own options, notes. */
export const HELP_LAYOUT: HelpConfiguration = {
  sortSubcommands: false,
  // Commander does not wrap narrower texts.
  minWidthToWrap: MIN_WIDTH,
  optionDescription: describe,
  argumentDescription: describe,
  formatHelp,
};

const LAST_LINE = 'Global options: orgadm help options     Exit codes: orgadm help exit-codes';

/** Inserts the allowed values into a description, before the parentheses at its end. */
function describe({ description, argChoices }: Option | Argument): string {
  return argChoices === undefined ? description : description.replace(/( \([^)]*\))?$/, `: ${argChoices.join(', ')}$1`);
}

function formatHelp(command: Command, helper: Help): string {
  const options = ownOptions(command, helper);
  const positionals = helper.visibleArguments(command);
  const commands = verbs(command, helper);
  const terms = [
    ...positionals.map((positional) => helper.argumentTerm(positional)),
    ...commands.map(({ term }) => term),
    ...options.map((option) => helper.optionTerm(option)),
  ];
  const width = Math.max(0, ...terms.map((term) => term.length));
  const item = (term: string, description: string) => renderItem(term, width, description, helper);
  const { examples, notes } = splitExamples(helpTextOf(command), helper);

  return [
    `${helper.boxWrap(helper.commandDescription(command), helper.helpWidth ?? 80)}\n`,
    section('USAGE', [`  ${renderUsage(command)}`]),
    section(
      'COMMANDS',
      commands.map(({ term, summary }) => item(term, summary)),
    ),
    section(
      'ARGUMENTS',
      positionals.map((positional) => item(helper.argumentTerm(positional), helper.argumentDescription(positional))),
    ),
    examples,
    ...groups(options, width, helper),
    notes,
    `${helper.boxWrap(LAST_LINE, helper.helpWidth ?? 80)}\n`,
  ]
    .filter((part) => part !== '')
    .join('\n');
}

/** Renders a term and its description: next to each other, or below each other on a narrow terminal. */
function renderItem(term: string, width: number, description: string, helper: Help): string {
  const columns = helper.helpWidth ?? 80;
  if (columns - width - 4 >= MIN_WIDTH) return helper.formatItem(term, width, description, helper);
  return `  ${term}\n${helper.boxWrap(description, columns - 6).replace(/^/gm, '      ')}`;
}

/** Options go last: a list of values, as of `domain status`, reads better next to the command. */
export function renderUsage(command: Command): string {
  const path: string[] = [];
  for (let each: Command | null = command; each !== null; each = each.parent) path.unshift(each.name());
  const rest = command.commands.length > 0 ? '<command>' : command.usage().replace(/^\[options\] ?/, '');
  return [...path, rest, '[options]'].filter((part) => part !== '').join(' ');
}

/** The options of a command other than the global ones and `--help`. */
export function ownOptions(command: Command, helper: Help): Option[] {
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

/** Splits the text of a command into its examples and the rest: headings in capitals, paragraphs wrapped. */
function splitExamples(text: string, helper: Help): { examples: string; notes: string } {
  const capitals = text.replace(/^([A-Z][^.:\n]*):$/gm, (_, heading: string) => heading.toUpperCase());
  const examples = /^EXAMPLES\n(?: .*\n?)+/m.exec(capitals)?.[0] ?? '';
  const notes = capitals
    .replace(examples, '')
    .replace(/\n{3,}/g, '\n\n')
    .replace(/^\S.*(?:\n\S.*)*/gm, (paragraph) =>
      helper.boxWrap(paragraph.replaceAll('\n', ' '), helper.helpWidth ?? 80),
    )
    .trim();
  return { examples: endLine(examples.trimEnd()), notes: endLine(notes) };
}

function endLine(text: string): string {
  return text === '' ? '' : `${text}\n`;
}

/** Renders the global options with their descriptions, as in the help of a command. */
export function renderGlobalOptions(program: Command): string {
  const helper = program.createHelp();
  const helpWidth = program.configureOutput().getOutHelpWidth?.();
  helper.prepareContext(helpWidth === undefined ? {} : { helpWidth });
  const options = helper.visibleOptions(program);
  const width = Math.max(...options.map((option) => helper.optionTerm(option).length));
  return groups(options, width, helper).join('\n');
}

/** Renders each group of options under its heading, the terms `width` columns wide. */
function groups(options: readonly Option[], width: number, helper: Help): string[] {
  const item = (option: Option) =>
    renderItem(helper.optionTerm(option), width, helper.optionDescription(option), helper);
  return [...helper.groupItems<Option>([], [...options], groupOf)].map(([heading, members]) =>
    section(heading.replace(/:$/, '').toUpperCase(), members.map(item)),
  );
}

function groupOf(option: Option): string {
  return option.helpGroupHeading ?? 'Options:';
}

/** Renders a heading and its lines; empty if there are none. */
function section(heading: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `${[heading, ...lines].join('\n')}\n`;
}
