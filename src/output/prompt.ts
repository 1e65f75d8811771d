import { isCancel } from '@clack/core';
import { EXIT, OrgadmError, UsageError } from '../util/errors.ts';
import { type Host, hasTerminal, SIGNAL_EXIT, type Signal } from '../util/host.ts';
import { drawChoice, drawChoices, drawText, PromptOutput, type PromptStreams } from './drawn-prompt.ts';
import { Keyboard } from './keyboard.ts';
import { askInLines, readNumber } from './plain-prompt.ts';
import { cleanLine } from './sanitize.ts';
import { isAnimated } from './style.ts';
import { cutToWidth, displayWidth } from './text-width.ts';
import { DEFAULT_COLUMNS, terminalColumns, wrapText } from './wrap.ts';

/** The terminal that a prompt uses. */
export interface PromptTerminal {
  readonly host: Host;
  /** `false` disables color. */
  readonly color: boolean | undefined;
  /** Removes secrets from a text. */
  redact(text: string): string;
  /** For the error if the user ends the prompt, a clause that says what did not happen: `nothing was sent`. */
  readonly undone: string;
}

/**
 * Prompts for a line of text on the terminal.
 *
 * @param question shown on standard error; may contain untrusted text
 * @param options.missing what is wrong when the input ends: `no base URL was entered`
 * @param options.validate returns what is wrong with an answer; undefined if it is valid
 * @returns the input without surrounding white space; may be empty
 * @throws UsageError without a terminal (see `hasTerminal`) and for Ctrl-D, OrgadmError with the signal's exit code for
 *   Ctrl-C and for a signal
 */
export async function promptText(
  question: string,
  terminal: PromptTerminal,
  { missing, validate }: { missing: string; validate?: (answer: string) => string | undefined },
): Promise<string> {
  const check = (typed: string) => {
    const problem = validate?.(typed.trim());
    return problem === undefined ? undefined : cleanText(problem, terminal);
  };
  const read = (line: string) => {
    const problem = check(line);
    return problem === undefined ? { answer: line } : { problem };
  };
  const answer = await ask(terminal, missing, {
    draw: (streams) => drawText(() => shownQuestion(question, terminal), check, streams),
    inLines: (signal) => askInLines(cleanText(question, terminal), read, terminal.host, signal),
  });
  return (answer ?? '').trim();
}

/** One of the answers to choose from. The texts may be untrusted. */
export interface Choice<T> {
  readonly value: T;
  readonly label: string;
  readonly hint?: string;
}

/**
 * Prompts for one of several answers. Pressing Enter at once accepts only `initial`; without it, the user has to move to an
 * answer.
 *
 * @throws as `promptText` does
 */
export async function promptChoice<T extends string>(
  question: string,
  choices: readonly Choice<T>[],
  terminal: PromptTerminal,
  initial?: T,
): Promise<T> {
  const none = { value: undefined, label: '(press an arrow key to choose)' };
  const options = [...(initial === undefined ? [none] : []), ...choices.map((choice) => shownChoice(choice, terminal))];
  const suggested = choices.findIndex(({ value }) => value === initial);
  const accepted = suggested < 0 ? '' : `, or press Enter for ${suggested + 1}`;
  const read = (line: string) => {
    const number = line === '' ? suggested + 1 : readNumber(line, choices.length);
    const choice = choices[(number ?? 0) - 1];
    return choice === undefined ? { problem: 'Type the number of an answer.' } : { answer: choice.value };
  };
  let repeated = '';
  for (;;) {
    const answer = await ask<T | undefined>(terminal, 'no answer', {
      draw: (streams) => drawChoice(() => shownQuestion(`${question}${repeated}`, terminal), options, initial, streams),
      inLines: (signal) =>
        askInLines(listed(question, choices, `Type a number${accepted}:`, terminal), read, terminal.host, signal),
    });
    if (answer !== undefined) return answer;
    repeated = ' Choose one of the answers.';
  }
}

/**
 * Prompts for one or more of several answers. Pressing Enter without a choice asks again.
 *
 * @param initial the answers that are chosen at first
 * @throws as `promptText` does
 */
export async function promptChoices<T extends string>(
  question: string,
  choices: readonly Choice<T>[],
  terminal: PromptTerminal,
  initial: readonly T[] = [],
): Promise<readonly T[]> {
  const options = choices.map((choice) => shownChoice(choice, terminal));
  const suggested = choices.flatMap(({ value }, at) => (initial.includes(value) ? [at + 1] : [])).join(',');
  const accepted = suggested === '' ? '' : `, or press Enter for ${suggested}`;
  const read = (line: string) => {
    const words = (line === '' ? suggested : line).split(/[\s,]+/).filter(Boolean);
    const numbers = words.map((word) => readNumber(word, choices.length));
    if (words.length === 0 || numbers.includes(undefined)) return { problem: 'Type the numbers of the answers: 1,2' };
    return { answer: choices.filter((_, at) => numbers.includes(at + 1)).map(({ value }) => value) };
  };
  let repeated = '';
  for (;;) {
    const answer = await ask<readonly T[] | undefined>(terminal, 'no answer', {
      draw: (streams) =>
        drawChoices(() => shownQuestion(`${question}${repeated}`, terminal), options, initial, streams),
      inLines: (signal) =>
        askInLines(
          listed(question, choices, `Type one or more numbers, separated by commas${accepted}:`, terminal),
          read,
          terminal.host,
          signal,
        ),
    });
    if (answer !== undefined && answer.length > 0) return answer;
    repeated = ' Press Space to choose an answer.';
  }
}

/** Returns a question and its numbered answers, a line each, and what to type. */
function listed(
  question: string,
  choices: readonly Choice<string>[],
  request: string,
  terminal: PromptTerminal,
): string {
  const line = ({ label, hint }: Choice<string>, at: number) =>
    `  ${at + 1}. ${cleanText(label, terminal)}${hint === undefined ? '' : ` (${cleanText(hint, terminal)})`}`;
  return [cleanText(question, terminal), ...choices.map(line), request].join('\n');
}

/** Columns that the library puts before an answer, and around its hint. */
const [MARK_COLUMNS, HINT_COLUMNS] = [4, 3];
/** A hint that would be shorter says nothing. */
const MIN_HINT = 8;

/** Returns an answer that fits a line: the rest of it would be at the start of another one. */
function shownChoice<T>({ value, label, hint = '' }: Choice<T>, terminal: PromptTerminal): Choice<T> {
  const columns = promptColumns(terminal) - MARK_COLUMNS;
  const shownLabel = cutToWidth(cleanText(label, terminal), Math.max(1, columns));
  const left = columns - displayWidth(shownLabel) - HINT_COLUMNS;
  return {
    value,
    label: shownLabel,
    ...(hint !== '' && left >= MIN_HINT && { hint: cutToWidth(cleanText(hint, terminal), left) }),
  };
}

/** Returns a question in lines of which none begins with text of others, which could look like a message of orgadm. */
function shownQuestion(untrusted: string, terminal: PromptTerminal): string {
  const indent = '   ';
  return wrapText(cleanText(untrusted, terminal), Math.max(1, promptColumns(terminal) - indent.length), indent);
}

function promptColumns({ host }: PromptTerminal): number {
  return terminalColumns(host.stderr) ?? DEFAULT_COLUMNS;
}

/** Returns a text that is safe for a terminal, and has no secrets. */
function cleanText(untrusted: string, { redact }: PromptTerminal): string {
  return cleanLine(redact(untrusted)).trim();
}

const NOT_CONFIRMED = 'not confirmed';

/**
 * Asks on the terminal whether to make a change. Only `y` and `yes` confirm it.
 *
 * @param question a sentence; may contain untrusted text
 * @throws OrgadmError (exit code 2) for any other reply, and as `promptText` does
 */
export async function confirmChange(question: string, terminal: PromptTerminal): Promise<void> {
  const reply = await promptText(`${question} [y/N]`, terminal, { missing: NOT_CONFIRMED });
  if (!/^y(es)?$/i.test(reply)) throw new OrgadmError('canceled', EXIT.usage, `${NOT_CONFIRMED}; ${terminal.undone}`);
}

/** The two looks of a prompt. */
interface PromptLooks<T> {
  /** Draws the prompt, and draws it again when it changes. */
  draw(streams: PromptStreams): Promise<T | symbol | undefined>;
  /** Asks in lines, without moving the cursor. */
  inLines(signal: AbortSignal): Promise<T | undefined>;
}

/** Shows a prompt until it is answered, the input ends, or the user or a signal interrupts it. */
async function ask<T>(
  { host, color, undone }: PromptTerminal,
  missing: string,
  { draw, inLines }: PromptLooks<T>,
): Promise<T | undefined> {
  if (!hasTerminal(host)) throw new UsageError('cannot prompt without a terminal');
  const { stdin } = host;
  const ended = new AbortController();
  let reason: OrgadmError | undefined;
  const end = (error: OrgadmError) => {
    reason = error;
    ended.abort();
  };
  const onEnd = () => end(new UsageError(`${missing}; ${undone}`));
  const releaseSignals = host.onSignal((signal) => end(interrupted(signal, undone)));
  stdin.once('end', onEnd);
  try {
    const answer = isAnimated({ color, env: host.env, stream: host.stderr })
      ? await drawn(draw, { host, color, signal: ended.signal, onEnd })
      : await inLines(ended.signal);
    if (reason !== undefined) throw reason;
    if (isCancel(answer)) throw interrupted('SIGINT', undone);
    return answer as T | undefined;
  } finally {
    releaseSignals();
    stdin.off('end', onEnd);
  }
}

interface DrawnPrompt extends Pick<PromptTerminal, 'host' | 'color'> {
  readonly signal: AbortSignal;
  /** Called for Ctrl-D. */
  onEnd(): void;
}

async function drawn<T>(draw: (streams: PromptStreams) => Promise<T>, prompt: DrawnPrompt): Promise<T> {
  const { host, color, signal, onEnd } = prompt;
  const output = await PromptOutput.create(host, color);
  const input = new Keyboard(host, { onStop: () => output.leave(), redraw: () => output.redraw() });
  // The library does not know Ctrl-D, after which readline reads no more keys.
  input.on('keypress', (_: unknown, key: { ctrl?: boolean; name?: string } | undefined) => {
    if (key?.ctrl && key.name === 'd') onEnd();
  });
  try {
    return await draw({ input, output, signal });
  } finally {
    input.close();
  }
}

function interrupted(signal: Signal, undone: string): OrgadmError {
  return new OrgadmError('interrupted', SIGNAL_EXIT[signal], `interrupted; ${undone}`);
}
