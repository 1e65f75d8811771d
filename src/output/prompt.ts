import { Writable } from 'node:stream';
import { isCancel, multiselect, select, text } from '@clack/prompts';
import { EXIT, OrgadmError, UsageError } from '../util/errors.ts';
import { type Host, hasTerminal, SIGNAL_EXIT, type Signal } from '../util/host.ts';
import { cleanLine } from './sanitize.ts';
import { hasColor } from './style.ts';
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
  const answer = await ask(terminal, missing, (streams) =>
    text({
      ...streams,
      message: shownQuestion(question, terminal),
      ...(validate && { validate: (typed = '') => validate(typed.trim()) }),
    }),
  );
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
  let repeated = '';
  for (;;) {
    const message = shownQuestion(`${question}${repeated}`, terminal);
    const answer = await ask(terminal, 'no answer', (streams) =>
      select<T | undefined>({
        ...streams,
        message,
        options: options as never,
        initialValue: initial,
        showInstructions: false,
      }),
    );
    if (answer !== undefined) return answer;
    repeated = ' Choose one of the answers.';
  }
}

/**
 * Prompts for one or more of several answers. Pressing Enter without a choice asks again.
 *
 * @throws as `promptText` does
 */
export async function promptChoices<T extends string>(
  question: string,
  choices: readonly Choice<T>[],
  terminal: PromptTerminal,
): Promise<readonly T[]> {
  const options = choices.map((choice) => shownChoice(choice, terminal));
  let repeated = '';
  for (;;) {
    const message = shownQuestion(`${question}${repeated}`, terminal);
    const answer = await ask(terminal, 'no answer', (streams) =>
      multiselect<T>({ ...streams, message, options: options as never, required: false }),
    );
    if (answer !== undefined && answer.length > 0) return answer;
    repeated = ' Press Space to choose an answer.';
  }
}

/** Columns that the library puts before an answer, and around its hint. */
const [MARK_COLUMNS, HINT_COLUMNS] = [4, 3];
/** A hint that would be shorter says nothing. */
const MIN_HINT = 8;

/** Returns an answer that fits a line: the rest of it would be at the start of another one. */
function shownChoice<T>({ value, label, hint = '' }: Choice<T>, terminal: PromptTerminal): Choice<T> {
  const columns = columnsOf(terminal) - MARK_COLUMNS;
  const shownLabel = cutToWidth(shown(label, terminal), Math.max(1, columns));
  const left = columns - displayWidth(shownLabel) - HINT_COLUMNS;
  return {
    value,
    label: shownLabel,
    ...(hint !== '' && left >= MIN_HINT && { hint: cutToWidth(shown(hint, terminal), left) }),
  };
}

/** Returns a question in lines of which none begins with text of others, which could look like a message of orgadm. */
function shownQuestion(untrusted: string, terminal: PromptTerminal): string {
  const indent = '   ';
  return wrapText(shown(untrusted, terminal), Math.max(1, columnsOf(terminal) - indent.length), indent);
}

function columnsOf({ host }: PromptTerminal): number {
  return terminalColumns(host.stderr) ?? DEFAULT_COLUMNS;
}

/** Returns a text that is safe for a terminal, and has no secrets. */
function shown(untrusted: string, { redact }: PromptTerminal): string {
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

/** The streams of a prompt, and the signal that ends it. */
interface PromptStreams {
  readonly input: Host['stdin'];
  readonly output: Writable;
  readonly signal: AbortSignal;
  readonly withGuide: false;
}

/** Shows a prompt until it is answered, the input ends, or the user or a signal interrupts it. */
async function ask<T>(
  { host, color, undone }: PromptTerminal,
  missing: string,
  prompt: (streams: PromptStreams) => Promise<T>,
): Promise<Exclude<T, symbol>> {
  if (!hasTerminal(host)) throw new UsageError('cannot prompt without a terminal');
  const { stdin } = host;
  const ended = new AbortController();
  let reason: OrgadmError = interrupted('SIGINT', undone);
  const end = (error: OrgadmError) => {
    reason = error;
    ended.abort();
  };
  const onEnd = () => end(new UsageError(`${missing}; ${undone}`));
  // The library does not know Ctrl-D, after which readline reads no more keys.
  const onKey = (_: unknown, key: { ctrl?: boolean; name?: string } | undefined) => {
    if (key?.ctrl && key.name === 'd') onEnd();
  };
  const releaseSignals = host.onSignal((signal) => end(interrupted(signal, undone)));
  stdin.once('end', onEnd);
  stdin.on('keypress', onKey);
  try {
    const output = new PromptOutput(host, color);
    const answer = await prompt({ input: stdin, output, signal: ended.signal, withGuide: false });
    if (isCancel(answer)) throw reason;
    return answer as Exclude<T, symbol>;
  } finally {
    releaseSignals();
    stdin.off('end', onEnd);
    stdin.off('keypress', onKey);
  }
}

function interrupted(signal: Signal, undone: string): OrgadmError {
  return new OrgadmError('interrupted', SIGNAL_EXIT[signal], `interrupted; ${undone}`);
}

/** The escape sequences of colors. */
const COLORS = new RegExp(`${String.fromCharCode(27)}\\[[\\d;]*m`, 'g');

/** Standard error as the library draws on it: with the size of the terminal, and without colors if the user wants none. */
class PromptOutput extends Writable {
  readonly #stderr: Host['stderr'] & { readonly rows?: number };
  readonly #isColored: boolean;

  constructor({ stderr, env }: Host, color: boolean | undefined) {
    super({ decodeStrings: false });
    this.#stderr = stderr;
    this.#isColored = hasColor({ color, env, stream: stderr });
  }

  get columns(): number {
    return terminalColumns(this.#stderr) ?? DEFAULT_COLUMNS;
  }

  get rows(): number | undefined {
    return this.#stderr.rows;
  }

  // The terminal tells standard error about a new size.
  override on(event: string, listener: (...args: never[]) => void): this {
    if (event === 'resize') this.#stderr.on(event, listener as () => void);
    else super.on(event, listener as () => void);
    return this;
  }

  override off(event: string, listener: (...args: never[]) => void): this {
    if (event === 'resize') this.#stderr.off(event, listener as () => void);
    else super.off(event, listener as () => void);
    return this;
  }

  override _write(chunk: string | Buffer, _encoding: BufferEncoding, done: () => void): void {
    const drawn = chunk.toString();
    this.#stderr.write(this.#isColored ? drawn : drawn.replace(COLORS, ''));
    done();
  }
}
