import type { Argument, Command, Option } from 'commander';
import { cleanLine } from '../../output/sanitize.ts';
import type { Host } from '../../util/host.ts';
import type { Context } from '../command-context.ts';
import { optionsInReach, readCommandLine } from '../command-line.ts';

/** Registers the command that the completion scripts call: `orgadm __complete -- <words>`, the last one at the cursor. */
export function registerComplete(program: Command, context: () => Context): void {
  program
    .command('__complete', { hidden: true })
    .argument('[words...]')
    .action((args: string[]) => runComplete(args, program, context()));
}

/** Prints what the shell is to offer: words, files or folders on the first line, then a candidate and its description each. */
export async function runComplete(args: readonly string[], program: Command, context: Context): Promise<void> {
  const current = args.at(-1) ?? '';
  const { kind, candidates, prefix } = completeArguments(program, args.slice(0, -1), current);
  const all = kind === 'profiles' ? await profiles(context.host) : candidates;
  const lines = all
    .map(({ value, description }) => ({ value: `${prefix}${value}`, description }))
    .filter(({ value }) => value.startsWith(current))
    .map(({ value, description }) => (description === '' ? value : `${value}\t${description}`));
  await context.output.write(
    [kind === 'profiles' ? 'words' : kind, ...lines].map((line) => `${withoutControls(line)}\n`).join(''),
  );
}

/** The profiles that are there; none where their file is broken, for no key press is to end in an error. */
async function profiles(host: Host): Promise<Candidate[]> {
  try {
    const [{ readProfiles }, { readStoredKeys }] = await Promise.all([
      import('../../config/profiles.ts'),
      import('../../config/stored-keys.ts'),
    ]);
    const names = new Set([...(await readProfiles(host)).keys(), ...(await readStoredKeys(host)).keys()]);
    return [...names].map((value) => ({ value, description: '' }));
  } catch {
    return [];
  }
}

function withoutControls(line: string): string {
  return line.split('\t').map(cleanLine).join('\t');
}

interface Candidate {
  value: string;
  description: string;
}

/** What may stand where the cursor is. Files, folders and profiles are known elsewhere: by the shell, by the settings. */
export interface Completion {
  kind: 'words' | 'files' | 'folders' | 'profiles';
  candidates: readonly Candidate[];
  /** Stands before each candidate: `--output=` where the value is part of the word. */
  prefix: string;
}

/**
 * Tells how a command line can go on. The command that it names must be registered in full.
 *
 * @param args the words before the one at the cursor, without the program's name
 * @param current the word at the cursor, which may be blank
 */
function completeArguments(program: Command, args: readonly string[], current: string): Completion {
  const { command, positionals, options, optionsEnded } = readCommandLine(program, args);
  const operands = positionals.map(({ word }) => word);
  const pending = options.find(({ option, value, instead }) => option?.required && (value ?? instead) === undefined);
  // An option would not be accepted as the value, so none is offered there.
  if (pending?.option !== undefined) return current.startsWith('--') ? fromValues([]) : valuesOf(pending.option, '');
  const [, flag] = /^(--[^=]+)=/.exec(current) ?? [];
  if (!optionsEnded && flag !== undefined) {
    const option = findOption(command, flag);
    return option === undefined ? fromValues([]) : valuesOf(option, `${flag}=`);
  }
  if (!optionsEnded && current.startsWith('-')) return fromValues(optionsOf(command));
  if (command.commands.length > 0) return fromValues(operands.length === 0 ? commandsOf(command) : []);
  return argumentValues(command, operands, program);
}

function findOption(command: Command, flag: string): Option | undefined {
  return optionsInReach(command).find((option) => option.long === flag || option.short === flag);
}

function optionsOf(command: Command): Candidate[] {
  const help = { value: '--help', description: 'print help' };
  return [
    ...optionsInReach(command)
      .filter(({ hidden }) => !hidden)
      .map(({ long, short, description }) => ({ value: long ?? short ?? '', description })),
    help,
  ];
}

function commandsOf(command: Command): Candidate[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .map((sub) => ({ value: sub.name(), description: sub.summary() }));
}

function valuesOf(option: Option, prefix: string): Completion {
  if (option.long === '--profile') return { kind: 'profiles', candidates: [], prefix };
  if (option.argChoices !== undefined) return { ...fromValues(option.argChoices.map(plain)), prefix };
  return { kind: kindOf(option.flags), candidates: [], prefix };
}

function argumentValues(command: Command, operands: readonly string[], program: Command): Completion {
  const declared: readonly Argument[] = command.registeredArguments;
  const argument = declared[operands.length] ?? declared.findLast(({ variadic }) => variadic);
  if (argument === undefined) return fromValues([]);
  const choices =
    command.name() === 'help' ? [...phrasesOf(program), ...(argument.argChoices ?? [])] : argument.argChoices;
  if (choices === undefined) return { kind: kindOf(`<${argument.name()}>`), candidates: [], prefix: '' };
  const isPhrases = choices.some((choice) => choice.includes(' '));
  return fromValues(isPhrases ? nextNames(choices, operands) : choices.map(plain));
}

/** `help` takes the words of any command. */
function phrasesOf(program: Command): string[] {
  return program.commands.flatMap((command) => [
    command.name(),
    ...command.commands.map((sub) => `${command.name()} ${sub.name()}`),
  ]);
}

/** The words with which those of the phrases go on that begin like this. */
function nextNames(phrases: readonly string[], args: readonly string[]): Candidate[] {
  const following = phrases
    .map((phrase) => phrase.split(' '))
    .filter((phrase) => args.every((word, at) => phrase[at] === word))
    .flatMap((phrase) => phrase[args.length] ?? []);
  return [...new Set(following)].map(plain);
}

/** The name of a value tells what it is: `<file>`, `<path>`, `<dir>`. */
function kindOf(flags: string): Completion['kind'] {
  if (/<(file|path)\b/.test(flags)) return 'files';
  return /<dir\b/.test(flags) ? 'folders' : 'words';
}

function plain(value: string): Candidate {
  return { value, description: '' };
}

function fromValues(candidates: readonly Candidate[]): Completion {
  return { kind: 'words', candidates, prefix: '' };
}
