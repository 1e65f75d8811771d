import { join, resolve } from 'node:path';
import type * as Clack from '@clack/prompts';
import { EXIT, OrgadmError } from '../util/errors.ts';
import { type Host, SIGNAL_EXIT, type Signal } from '../util/host.ts';
import { cleanLine } from './sanitize.ts';
import { DEFAULT_COLUMNS, hasColor, terminalColumns } from './style.ts';

/** The terminal that a question uses. */
export interface PromptTerminal {
  readonly host: Host;
  /** `false` disables color. */
  readonly color: boolean | undefined;
  /** Removes secrets from a text. */
  redact(text: string): string;
  /** Says what did not happen if the user cancels: `Nothing was sent.` */
  readonly undone: string;
}

/** One of the answers to choose from. The texts may be untrusted. */
export interface Choice<T extends string> {
  readonly value: T;
  readonly label: string;
  readonly hint?: string;
}

/** Says what is wrong with a typed answer; undefined if it is valid. */
export type Validate = (answer: string) => string | undefined;

/**
 * Asks a yes-or-no question on standard error, with No as the default. Like all of these functions, which show the prompts of
 * @clack/prompts as they come:
 *
 * @param question may contain untrusted text
 * @throws OrgadmError (`canceled`) for Ctrl-C, Escape, and Ctrl-D, with the exit code of SIGINT, and for a signal, with its own
 */
export function confirm(question: string, terminal: PromptTerminal): Promise<boolean> {
  return ask(terminal, (clack, shown) => clack.confirm({ ...shown(question), initialValue: false }));
}

/** Asks for one of several answers. */
export function select<T extends string>(
  question: string,
  choices: readonly Choice<T>[],
  terminal: PromptTerminal,
  initial = choices[0]?.value,
): Promise<T> {
  const options = shownChoices(choices, terminal);
  return ask(terminal, (clack, shown) => clack.select({ ...shown(question), options, initialValue: initial as never }));
}

/** Asks for one of many answers, which the user can type to find. */
export function autocomplete<T extends string>(
  question: string,
  choices: readonly Choice<T>[],
  terminal: PromptTerminal,
): Promise<T> {
  const options = shownChoices(choices, terminal);
  return ask(terminal, (clack, shown) => clack.autocomplete({ ...shown(question), options }));
}

/** Asks for one or more of several answers. */
export function multiselect<T extends string>(
  question: string,
  choices: readonly Choice<T>[],
  terminal: PromptTerminal,
  initialValues: readonly T[] = [],
): Promise<readonly T[]> {
  const options = shownChoices(choices, terminal);
  return ask(terminal, (clack, shown) => clack.multiselect({ ...shown(question), options, initialValues }));
}

/** Asks for a line of text. */
export async function typedText(question: string, validate: Validate, terminal: PromptTerminal): Promise<string> {
  const answer = await ask(terminal, (clack, shown) =>
    clack.text({ ...shown(question), validate: validator(validate, terminal) }),
  );
  return answer.trim();
}

/** Asks for the path of a file, and completes it. */
export async function path(question: string, validate: Validate, terminal: PromptTerminal): Promise<string> {
  const answer = await ask(terminal, (clack, shown) =>
    // Without the separator, what is typed would continue the name of the current directory.
    clack.path({ ...shown(question), initialValue: join(resolve(), '/'), validate: validator(validate, terminal) }),
  );
  return answer.trim();
}

/** Asks for a secret, without echo. */
export async function password(question: string, validate: Validate, terminal: PromptTerminal): Promise<string> {
  const answer = await ask(terminal, (clack, shown) =>
    clack.password({ ...shown(question), validate: validator(validate, terminal) }),
  );
  return answer.trim();
}

/** Asks whether to make a change. Throws OrgadmError (`canceled`) for No, with exit code 2, and as `confirm` does. */
export async function confirmChange(question: string, terminal: PromptTerminal): Promise<void> {
  if (!(await confirm(question, terminal))) throw canceled(EXIT.usage, terminal);
}

function canceled(exitCode: number, { undone }: PromptTerminal): OrgadmError {
  return new OrgadmError('canceled', exitCode, `Canceled. ${undone}`);
}

/** Shows a prompt until it is answered or canceled. */
async function ask<T>(
  terminal: PromptTerminal,
  show: (
    clack: typeof Clack,
    shown: (question: string) => Clack.CommonOptions & { message: string },
  ) => Promise<T | typeof Clack.CANCEL_SYMBOL>,
): Promise<T> {
  const { host } = terminal;
  const { stdin } = host;
  const clack = await import('@clack/prompts');
  const ended = new AbortController();
  const end = () => ended.abort();
  let signal: Signal = 'SIGINT';
  const releaseSignals = host.onSignal((received) => {
    signal = received;
    end();
  });
  const onKey = (_: unknown, key: { ctrl?: boolean; name?: string | undefined } | undefined) => {
    // After both, readline reads no more keys. In a terminal without a shell that stops the process, Ctrl-Z also turns the echo on.
    if (key?.ctrl && key.name === 'd') end();
    if (key?.ctrl && key.name === 'z') key.name = undefined;
  };
  stdin.on('keypress', onKey).once('end', end);
  try {
    const streams = { input: stdin, output: promptOutput(terminal), signal: ended.signal };
    const answer = await show(clack, (question) => ({ ...streams, message: cleanText(question, terminal) }));
    if (clack.isCancel(answer)) throw canceled(SIGNAL_EXIT[signal], terminal);
    return answer;
  } finally {
    releaseSignals();
    stdin.off('keypress', onKey).off('end', end);
  }
}

/** The escape sequences of colors. */
const COLORS = new RegExp(`${String.fromCharCode(27)}\\[[\\d;]*m`, 'g');

/** Returns standard error with a size, which a terminal may not report, and without colors if the user wants none. */
function promptOutput({ host: { stderr, env }, color }: PromptTerminal): Host['stderr'] {
  const isColored = hasColor({ color, env, stream: stderr });
  const own: Record<string | symbol, unknown> = {
    rows: (stderr as { rows?: number }).rows || undefined,
    write: (drawn: string) => stderr.write(isColored ? drawn : drawn.replace(COLORS, '')),
  };
  return new Proxy(stderr, {
    get(stream, name) {
      if (name === 'columns') return terminalColumns(stream) ?? DEFAULT_COLUMNS;
      const value: unknown = name in own ? own[name] : Reflect.get(stream, name, stream);
      return typeof value === 'function' ? value.bind(stream) : value;
    },
  });
}

function shownChoices<T extends string>(choices: readonly Choice<T>[], terminal: PromptTerminal): Clack.Option<T>[] {
  return choices.map(({ value, label, hint }) => ({
    value,
    label: cleanText(label, terminal),
    ...(hint !== undefined && { hint: cleanText(hint, terminal) }),
    // The library's type depends on the kind of value in a way that no generic function can satisfy.
  })) as Clack.Option<T>[];
}

function validator(validate: Validate, terminal: PromptTerminal): (answer: string | undefined) => string | undefined {
  return (answer = '') => {
    const problem = validate(answer.trim());
    return problem === undefined ? undefined : cleanText(problem, terminal);
  };
}

/** Returns a text that is safe for a terminal, and has no secrets. */
function cleanText(untrusted: string, { redact }: PromptTerminal): string {
  return cleanLine(redact(untrusted));
}
