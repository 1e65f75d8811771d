import type { Argument, Option } from 'commander';
import type { Context } from '../commands/command-context.ts';
import type { OrgadmCommand } from '../commands/orgadm-command.ts';
import { MEMBER_FIELDS } from '../import/new-member.ts';
import { cleanLine } from '../output/sanitize.ts';
import { commandsBelow, findCommand, optionsInReach } from './command-line.ts';
import { TOPICS } from './help.ts';

/** Registers the command that the completion scripts call: `orgadm __complete -- <words>`, the last one at the cursor. */
export default function registerComplete(command: OrgadmCommand, context: () => Context): void {
  command.argument('[words...]').action((words: string[]) => runComplete(words, command, context()));
}

/**
 * Prints the kind of the candidates (`words` or `files`), then each candidate with its description. The scripts
 * discard errors, for example of an invalid configuration file.
 */
async function runComplete(
  words: readonly string[],
  { parent: program }: OrgadmCommand,
  context: Context,
): Promise<void> {
  if (program === null) return;
  const current = words.at(-1) ?? '';
  const { kind, candidates } = await completeWords(program, words.slice(0, -1), current, context);
  const lines = candidates
    .filter(({ value }) => value.startsWith(current))
    .map(({ value, description }) => (description === '' ? value : `${value}\t${description}`));
  await context.output.writeRendered([kind, ...lines].map((line) => `${withoutControls(line)}\n`).join(''));
}

function withoutControls(line: string): string {
  return line.split('\t').map(cleanLine).join('\t');
}

interface Candidate {
  value: string;
  description: string;
}

/** The candidates at the cursor. The shell lists files. */
interface Completion {
  kind: 'words' | 'files';
  candidates: readonly Candidate[];
}

/**
 * Finds how a command line can continue.
 *
 * @param words the words before the one at the cursor, without the program's name
 * @param current the word at the cursor, which may be empty
 */
async function completeWords(
  program: OrgadmCommand,
  words: readonly string[],
  current: string,
  context: Context,
): Promise<Completion> {
  const { command, positionals, pending } = await readWords(program, words);
  if (pending !== undefined) return optionValues(pending, context);
  const [, flag] = /^(--[^=]+)=/.exec(current) ?? [];
  if (flag !== undefined) {
    const option = findOption(command, flag);
    if (option === undefined) return fromValues([]);
    const { kind, candidates } = await optionValues(option, context);
    return { kind, candidates: candidates.map((one) => ({ ...one, value: `${flag}=${one.value}` })) };
  }
  if (current.startsWith('-')) return fromValues(optionCandidates(command));
  if (command.name() === 'help') return fromValues(await helpWords(program, positionals));
  if (command.commands.length > 0) return fromValues(positionals.length === 0 ? commandsOf(command) : []);
  const argument = nextArgument(command, positionals);
  if (argument === undefined) return fromValues([]);
  if (command.parent?.name() === 'runs') return fromValues(await runCandidates(command.name(), context));
  return argumentValues(argument, positionals);
}

interface WordsSoFar {
  /** The deepest command or noun that is named; its options are registered. */
  command: OrgadmCommand;
  positionals: string[];
  /** An option that still lacks its value. */
  pending: Option | undefined;
}

/** Reads the words before the cursor. Commander would reject them, because the line is not complete. */
async function readWords(program: OrgadmCommand, words: readonly string[]): Promise<WordsSoFar> {
  const line: WordsSoFar = { command: program, positionals: [], pending: undefined };
  for (const word of words) {
    const sub = line.command.commands.find((one) => one.name() === word);
    if (line.pending !== undefined) line.pending = undefined;
    else if (word.startsWith('-') && word !== '-') {
      const option = findOption(line.command, word);
      line.pending = option?.required ? option : undefined;
    } else if (sub !== undefined && line.positionals.length === 0) {
      await sub.load();
      line.command = sub;
    } else line.positionals.push(word);
  }
  return line;
}

/** Returns the words that `help` accepts: the commands below those that are named, and topics. */
async function helpWords(program: OrgadmCommand, words: readonly string[]): Promise<Candidate[]> {
  const command = await findCommand(program, words);
  if (command === undefined) return [];
  return [...commandsOf(command), ...(words.length === 0 ? Object.keys(TOPICS).map(plainCandidate) : [])];
}

function findOption(command: OrgadmCommand, flag: string): Option | undefined {
  return optionsInReach(command).find((option) => option.long === flag || option.short === flag);
}

function optionCandidates(command: OrgadmCommand): Candidate[] {
  const help = { value: '--help', description: 'print help' };
  return [
    ...optionsInReach(command)
      .filter(({ hidden }) => !hidden)
      .map(({ long, short, description }) => ({ value: long ?? short ?? '', description })),
    help,
  ];
}

function commandsOf(command: OrgadmCommand): Candidate[] {
  return commandsBelow(command).map((sub) => ({ value: sub.name(), description: sub.summary() }));
}

async function optionValues(option: Option, context: Context): Promise<Completion> {
  if (option.long === '--profile') return fromValues(await profileCandidates(context));
  if (option.argChoices !== undefined) return fromValues(option.argChoices.map(plainCandidate));
  // What follows the name of a field: `<field=column>`.
  const separator = option.long === '--omit' ? '' : /<field([=:])/.exec(option.flags)?.[1];
  if (separator !== undefined) return fromValues(MEMBER_FIELDS.map((field) => plainCandidate(field + separator)));
  return { kind: kindOf(option.flags), candidates: [] };
}

async function profileCandidates({ sources }: Context): Promise<Candidate[]> {
  return [...(await sources()).profiles.keys()].map(plainCandidate);
}

async function runCandidates(verb: string, context: Context): Promise<Candidate[]> {
  const { runIdCandidates } = await import('../commands/runs/list.ts');
  return runIdCandidates(context, { onlyUnfinished: verb === 'resume' });
}

function nextArgument({ registeredArguments }: OrgadmCommand, positionals: readonly string[]): Argument | undefined {
  return registeredArguments[positionals.length] ?? registeredArguments.findLast(({ variadic }) => variadic);
}

function argumentValues(argument: Argument, positionals: readonly string[]): Completion {
  const choices = argument.argChoices;
  if (choices === undefined) return { kind: kindOf(`<${argument.name()}>`), candidates: [] };
  const isPhrases = choices.some((choice) => choice.includes(' '));
  return fromValues(isPhrases ? nextWords(choices, positionals) : choices.map(plainCandidate));
}

/** The next words of the phrases that begin with these words. */
function nextWords(phrases: readonly string[], args: readonly string[]): Candidate[] {
  const following = phrases
    .map((phrase) => phrase.split(' '))
    .filter((phrase) => args.every((word, at) => phrase[at] === word))
    .flatMap((phrase) => phrase[args.length] ?? []);
  return [...new Set(following)].map(plainCandidate);
}

/** Derives what a value is from its name: `<file>` or `<path>`. */
function kindOf(flags: string): Completion['kind'] {
  return /<(file|path)\b/.test(flags) ? 'files' : 'words';
}

function plainCandidate(value: string): Candidate {
  return { value, description: '' };
}

function fromValues(candidates: readonly Candidate[]): Completion {
  return { kind: 'words', candidates };
}
