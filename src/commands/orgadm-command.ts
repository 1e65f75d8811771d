import { Command } from 'commander';
import type { Context } from './command-context.ts';

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

/** The part of a command's help that few people need: `orgadm help <name>`. */
export interface HelpTopic extends HelpText {
  readonly name: string;
  /** The headings of the options that only the topic lists. */
  readonly groups: readonly string[];
}

/** The program, a noun, or a command, with what belongs to it. */
export class OrgadmCommand extends Command {
  declare readonly commands: readonly OrgadmCommand[];
  declare parent: OrgadmCommand | null;

  /** The row of the command table; undefined for the program and for nouns. */
  entry: CommandEntry | undefined;
  helpText: HelpText = {};
  /** Undefined if the help of the command has everything. */
  topic: HelpTopic | undefined;
  /** Registers the arguments, options, and action, once. */
  load = async (): Promise<void> => {};

  override createCommand(name?: string): OrgadmCommand {
    return new OrgadmCommand(name);
  }
}
