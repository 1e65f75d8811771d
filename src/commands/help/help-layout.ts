import type { Argument, Command, Help, HelpConfiguration, Option } from 'commander';

/**
 * How help looks: commands before options, a command's own options before the global ones, which the program and its
 * nouns only name.
 */
export const HELP_LAYOUT: HelpConfiguration = {
  showGlobalOptions: true,
  sortSubcommands: false,
  // Below this, Commander would not wrap at all.
  minWidthToWrap: 20,
  subcommandTerm: (command) => command.name(),
  optionDescription: describe,
  argumentDescription: describe,
  formatHelp,
};

/** The description with the values that are taken, before what it has in parentheses at its end. */
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
  const operands = helper.visibleArguments(command);
  const commands = helper.visibleCommands(command);

  const terms = [
    ...operands.map((operand) => helper.argumentTerm(operand)),
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
      operands.map((operand) => item(helper.argumentTerm(operand), helper.argumentDescription(operand))),
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

/** The global options in full, as the help of a command has them. */
export function renderGlobalOptions(program: Command): string {
  const helper = program.createHelp();
  const helpWidth = program.configureOutput().getOutHelpWidth?.();
  helper.prepareContext(helpWidth === undefined ? {} : { helpWidth });
  const options = helper.visibleOptions(program);
  const width = Math.max(...options.map((option) => helper.optionTerm(option).length));
  return `${groups(options, width, helper).join('\n\n')}\n`;
}

/** Each group of options under its heading, the terms `width` columns wide. */
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

/** The options by name only, as many on a line as fit. */
function names(options: readonly Option[], helper: Help): string {
  const text = options.map(({ short, long }) => [short, long].filter(Boolean).join('/')).join(', ');
  return helper.boxWrap(text, (helper.helpWidth ?? 80) - 2).replace(/^/gm, '  ');
}
