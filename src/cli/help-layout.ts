import type { Argument, Command, Help, HelpConfiguration, Option } from 'commander';

/**
 * The layout of help: commands before options, a command's own options before the global ones, of which the program and
 * its nouns list only the names.
 */
export const HELP_LAYOUT: HelpConfiguration = {
  showGlobalOptions: true,
  sortSubcommands: false,
  // Commander does not wrap narrower texts.
  minWidthToWrap: 20,
  subcommandTerm: (command) => command.name(),
  optionDescription: describe,
  argumentDescription: describe,
  formatHelp,
};

/** Inserts the allowed values into a description, before the parentheses at its end. */
function describe({ description, argChoices }: Option | Argument): string {
  return argChoices === undefined ? description : description.replace(/( \([^)]*\))?$/, `: ${argChoices.join(', ')}$1`);
}

function formatHelp(command: Command, helper: Help): string {
  const isRoot = command.parent === null;
  const isLeaf = command.commands.length === 0;
  const visible = helper.visibleOptions(command);
  const own = isRoot ? [] : visible;
  const global = isRoot ? visible : helper.visibleGlobalOptions(command);
  const listed = isLeaf ? global : [];
  const positionals = helper.visibleArguments(command);
  const commands = helper.visibleCommands(command);

  const terms = [
    ...positionals.map((positional) => helper.argumentTerm(positional)),
    ...commands.map((sub) => helper.subcommandTerm(sub)),
    ...[...own, ...listed].map((option) => helper.optionTerm(option)),
  ];
  const width = Math.max(0, ...terms.map((term) => term.length));
  const item = (term: string, description: string) => helper.formatItem(term, width, description, helper);

  return [
    `Usage: ${helper.commandUsage(command)}`,
    helper.boxWrap(helper.commandDescription(command), helper.helpWidth ?? 80),
    section(
      'Arguments:',
      positionals.map((positional) => item(helper.argumentTerm(positional), helper.argumentDescription(positional))),
    ),
    section(
      'Commands:',
      commands.map((sub) => item(helper.subcommandTerm(sub), helper.subcommandDescription(sub))),
    ),
    ...groups([...own, ...listed], width, helper),
    isLeaf ? '' : section('Global options (orgadm help options):', [names(global, helper)]),
  ]
    .filter((part) => part !== '')
    .map((part) => `${part}\n`)
    .join('\n');
}

/** Renders the global options with their descriptions, as in the help of a command. */
export function renderGlobalOptions(program: Command): string {
  const helper = program.createHelp();
  const helpWidth = program.configureOutput().getOutHelpWidth?.();
  helper.prepareContext(helpWidth === undefined ? {} : { helpWidth });
  const options = helper.visibleOptions(program);
  const width = Math.max(...options.map((option) => helper.optionTerm(option).length));
  return `${groups(options, width, helper).join('\n\n')}\n`;
}

/** Renders each group of options under its heading, the terms `width` columns wide. */
function groups(options: readonly Option[], width: number, helper: Help): string[] {
  const item = (option: Option) =>
    helper.formatItem(helper.optionTerm(option), width, helper.optionDescription(option), helper);
  return [...helper.groupItems<Option>([], [...options], groupOf)].map(([heading, members]) =>
    section(heading, members.map(item)),
  );
}

function groupOf(option: Option): string {
  return option.helpGroupHeading ?? 'Options:';
}

function section(heading: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : [heading, ...lines].join('\n');
}

/** Renders the names of options, as many on a line as fit. */
function names(options: readonly Option[], helper: Help): string {
  const text = options.map(({ short, long }) => [short, long].filter(Boolean).join('/')).join(', ');
  return helper.boxWrap(text, (helper.helpWidth ?? 80) - 2).replace(/^/gm, '  ');
}
