import { type Argument, Help, type Option } from 'commander';
import type { HelpBlock, OrgadmCommand } from '../commands/orgadm-command.ts';
import type { Output } from '../output/output.ts';
import { DEFAULT_COLUMNS, terminalColumns } from '../output/style.ts';
import { joinText, style, text } from '../output/text.ts';
import type { Host } from '../util/host.ts';

/** Maximum width of help on a terminal, in columns: longer lines are hard to read. */
const MAX_COLUMNS = 100;

/** Returns the width of help. */
export function helpColumns({ stdout }: Pick<Host, 'stdout'>): number {
  return Math.min(terminalColumns(stdout) ?? DEFAULT_COLUMNS, MAX_COLUMNS);
}

/** Commander's help, with whole paths of commands, the allowed values in descriptions, and options after arguments. */
export class CommandHelp extends Help {
  override commandUsage(command: OrgadmCommand): string {
    const rest = command.commands.length > 0 ? '<command>' : command.usage().replace(/^\[options\] ?/, '');
    return [command.path, rest, '[options]'].filter((part) => part !== '').join(' ');
  }

  #isPage = false;

  override formatHelp(command: OrgadmCommand, help: Help): string {
    this.#isPage = true;
    return super.formatHelp(command, help);
  }

  /** A page lists all commands below. Suggestions come from those directly below. */
  override visibleCommands(command: OrgadmCommand): OrgadmCommand[] {
    return command.commands.flatMap((sub) =>
      this.#isPage && sub.commands.length > 0 ? this.visibleCommands(sub) : [sub],
    );
  }

  /** The help of the program has `--help`. */
  override visibleOptions(command: OrgadmCommand): Option[] {
    return super.visibleOptions(command).filter(({ long }) => command.parent === null || long !== '--help');
  }

  override subcommandTerm(command: OrgadmCommand): string {
    return command.path.replace('orgadm ', '');
  }

  override optionDescription(option: Option): string {
    return withChoices(option);
  }

  override argumentDescription(argument: Argument): string {
    return withChoices(argument);
  }

  override styleTitle(title: string): string {
    return title.endsWith(':') ? title : `${title}:`;
  }
}

/** Inserts the allowed values into a description, before the parentheses at its end. */
function withChoices({ description, argChoices }: Option | Argument): string {
  return argChoices === undefined ? description : description.replace(/( \([^)]*\))?$/, `: ${argChoices.join(', ')}$1`);
}

/** Returns what follows the options on the page of a command: examples and notes. */
export function textAfterOptions({ helpText, parent }: OrgadmCommand, columns: number): string {
  const { examples = [], notes = [] } = helpText;
  const lines = examples.map((line) => (line.startsWith('#') ? line : `$ ${line}`));
  const references =
    parent === null
      ? 'Exit codes: orgadm help exit-codes'
      : 'Global options: orgadm --help. Exit codes: orgadm help exit-codes';
  const blocks = [...(lines.length === 0 ? [] : [{ heading: 'Examples', lines }]), ...notes, references];
  return renderBlocks(blocks, columns);
}

/** Renders blocks of help with an empty line between them. */
export function renderBlocks(blocks: readonly HelpBlock[], columns: number): string {
  const help = new CommandHelp();
  help.prepareContext({ helpWidth: columns });
  const rendered = blocks.map((block) => {
    if (typeof block === 'string') return help.boxWrap(block, columns);
    const heading = block.heading === undefined ? [] : [help.styleTitle(block.heading)];
    if ('lines' in block) return [...heading, ...block.lines.map((line) => `  ${line}`)].join('\n');
    const width = Math.max(...Object.keys(block.items).map((term) => term.length));
    const items = Object.entries(block.items).map(([term, description]) =>
      help.formatItem(term, width, description, help),
    );
    return [...heading, ...items].join('\n');
  });
  // A list belongs to the sentence above it that ends with a colon.
  return rendered.reduce((page, block) => `${page}${page.endsWith(':') ? '\n' : '\n\n'}${block}`);
}

/** Prints a page of help, its headings in bold if there is color. */
export async function printHelp(page: string, output: Output): Promise<void> {
  const lines = page.trimEnd().split('\n');
  await output.print(
    joinText(
      lines.map((line) => (/^\S.*:$/.test(line) ? style.strong(line) : line)),
      text`\n`,
    ),
  );
}
