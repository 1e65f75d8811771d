import { type Argument, Command, type Option } from 'commander';
import { UsageError } from '../util/errors.ts';
import type { Context } from './command-context.ts';
import { RepeatableOption } from './define-command.ts';

/** Registers the arguments, options, help, and action of a command. */
export type RegisterCommand = (command: OrgadmCommand, context: () => Context) => void;

/** A row of the command table. */
export interface CommandEntry {
  /** The words that call it: `people bulk-add`, `api`. */
  readonly name: string;
  /** For the help of the program or the noun, and the description of the command unless it sets a longer one. */
  readonly summary: string;
  /** Loads its file, which exports the function that registers it. */
  load(): Promise<{ default: RegisterCommand }>;
  /** Prints text for people or shells in every output format, and works with invalid settings. */
  readonly ignoresOutputFormat?: boolean;
}

/**
 * A part of a page of help:
 * - a paragraph, which may have lines of its own. What follows one that ends with a colon belongs to it.
 * - `items`: names with their descriptions
 * - `lines`: commands, and other text to copy, never wrapped
 */
export type HelpBlock = string | HelpItems | HelpLines;

export interface HelpItems {
  readonly heading?: string;
  readonly items: Readonly<Record<string, string>>;
}

export interface HelpLines {
  readonly heading?: string;
  readonly lines: readonly string[];
}

/** What the help of a command says in addition to its description, arguments, and options. */
export interface HelpText {
  /** Command lines to try. One that starts with `#` says what those below it do. */
  readonly examples?: readonly string[];
  /** What follows the options. */
  readonly notes?: readonly HelpBlock[];
}

/** The program, a noun, or a command, with what belongs to it. A word on its command line is what it seems. */
export class OrgadmCommand extends Command {
  declare readonly commands: readonly OrgadmCommand[];
  declare parent: OrgadmCommand | null;

  /** The row of the command table; undefined for the program and for nouns. */
  entry: CommandEntry | undefined;
  helpText: HelpText = {};
  /** Of the program: the words after its name. */
  words: readonly string[] = [];
  /** Registers the arguments, options, and action, once. */
  load = async (): Promise<void> => {};

  override createCommand(name?: string): OrgadmCommand {
    return new OrgadmCommand(name);
  }

  /** The words that call it: `orgadm people bulk-add`. */
  get path(): string {
    return this.parent === null ? this.name() : `${this.parent.path} ${this.name()}`;
  }

  /** Adds an option that rejects an empty value, an option in place of its value, and a second value if it has only one. */
  override addOption(option: Option): this {
    const { required, long = '', parseArg: parse } = option;
    let given: string | undefined;
    if (required)
      option.argParser((text: string, previous: unknown) => {
        if (text === '') throw emptyValue(long);
        const { words } = this.#program();
        if (text.startsWith('--') && words.includes(text) && !words.includes(`${long}=${text}`))
          throw new UsageError(
            `${long} needs a value`,
            `Write it as ${option.flags}. If the value is ${text}, write ${long}=${text}.`,
          );
        if (given !== undefined && given !== text && !(option instanceof RepeatableOption))
          throw new UsageError(`${long} has two values`, 'Keep one of them.');
        given = text;
        return parse === undefined ? text : parse(text, previous);
      });
    return super.addOption(option);
  }

  /** Adds an argument that must not be empty. */
  override addArgument(argument: Argument): this {
    const { parseArg: parse, variadic } = argument;
    argument.argParser((text: string, previous: unknown) => {
      if (text === '') throw emptyValue(`<${argument.name()}>`);
      if (parse !== undefined) return parse(text, previous);
      return variadic ? [...(Array.isArray(previous) ? previous : []), text] : text;
    });
    return super.addArgument(argument);
  }

  #program(): OrgadmCommand {
    return this.parent === null ? this : this.parent.#program();
  }
}

/** Returns the error for a word that is empty, as an unset shell variable is. */
function emptyValue(name: string): UsageError {
  return new UsageError(`${name} must not be empty`, 'If this is a shell variable, check that it is set.');
}
