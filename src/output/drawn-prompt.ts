import { Writable } from 'node:stream';
import { MultiSelectPrompt, type Prompt, SelectPrompt, TextPrompt } from '@clack/core';
import {
  limitOptions,
  S_CHECKBOX_ACTIVE,
  S_CHECKBOX_INACTIVE,
  S_CHECKBOX_SELECTED,
  S_RADIO_ACTIVE,
  S_RADIO_INACTIVE,
  S_STEP_ACTIVE,
  S_STEP_CANCEL,
  S_STEP_ERROR,
  S_STEP_SUBMIT,
} from '@clack/prompts';
import type { Host } from '../util/host.ts';
import { createPaint, type Paint, paintNothing, type StyleName } from './style.ts';
import { DEFAULT_COLUMNS, terminalColumns } from './wrap.ts';

/** An answer as it is shown. */
export interface ShownChoice<T> {
  readonly value: T;
  readonly label: string;
  readonly hint?: string;
}

/** The streams of a prompt, and the signal that ends it. */
export interface PromptStreams {
  readonly input: NodeJS.ReadableStream;
  readonly output: PromptOutput;
  readonly signal: AbortSignal;
}

/** Draws a prompt for a line of text. Resolves with a symbol if the signal ends it. */
export function drawText(
  question: () => string,
  validate: (typed: string) => string | undefined,
  streams: PromptStreams,
): Promise<string | undefined | symbol> {
  const { output } = streams;
  return new TextPrompt({
    ...inputOf(streams),
    validate: (typed = '') => validate(typed),
    render() {
      if (isOver(this)) return output.frame(this, question(), [output.paint('dim', this.value ?? '')]);
      const problem = this.state === 'error' ? output.paint('warn', `  ${this.error}`) : '';
      return output.frame(this, question(), [this.userInputWithCursor, problem, '']);
    },
  }).prompt();
}

/** Draws a prompt for one of several answers. Resolves with a symbol if the signal ends it. */
export function drawChoice<T>(
  question: () => string,
  options: ShownChoice<T>[],
  initialValue: T | undefined,
  streams: PromptStreams,
): Promise<T | undefined | symbol> {
  const { output } = streams;
  const line = ({ label, hint }: ShownChoice<T>, isActive: boolean) =>
    isActive
      ? `${output.paint('ok', S_RADIO_ACTIVE)} ${label}${output.hint(hint)}`
      : output.paint('dim', `${S_RADIO_INACTIVE} ${label}`);
  return new SelectPrompt({
    ...inputOf(streams),
    options: options as never[],
    initialValue: initialValue as never,
    render() {
      const chosen = options[this.cursor];
      if (isOver(this)) return output.frame(this, question(), [output.paint('dim', chosen?.label ?? '')]);
      return output.frame(this, question(), [...output.visible(question(), options, this.cursor, line), '']);
    },
  }).prompt();
}

/** Draws a prompt for several answers. Resolves with a symbol if the signal ends it. */
export function drawChoices<T>(
  question: () => string,
  options: ShownChoice<T>[],
  initialValues: readonly T[],
  streams: PromptStreams,
): Promise<readonly T[] | undefined | symbol> {
  const { output } = streams;
  return new MultiSelectPrompt({
    ...inputOf(streams),
    options: options as never[],
    initialValues: [...initialValues] as never[],
    render() {
      const chosen: readonly T[] = this.value ?? [];
      if (isOver(this)) {
        const labels = options.filter(({ value }) => chosen.includes(value)).map(({ label }) => label);
        return output.frame(this, question(), [output.paint('dim', labels.join(', '))]);
      }
      const line = ({ value, label, hint }: ShownChoice<T>, isActive: boolean) => {
        if (chosen.includes(value)) return `${output.paint('ok', S_CHECKBOX_SELECTED)} ${label}${output.hint(hint)}`;
        return isActive
          ? `${output.paint('accent', S_CHECKBOX_ACTIVE)} ${label}${output.hint(hint)}`
          : output.paint('dim', `${S_CHECKBOX_INACTIVE} ${label}`);
      };
      return output.frame(this, question(), [
        ...output.visible(question(), options, this.cursor, line),
        output.paint('dim', '↑/↓ to move • Space: select • Enter: confirm'),
        '',
      ]);
    },
  }).prompt();
}

/** The library declares streams as classes. */
function inputOf({ input, output, signal }: PromptStreams) {
  return { input: input as never, output, signal };
}

function isOver({ state }: { readonly state: string }): boolean {
  return state === 'submit' || state === 'cancel';
}

/** The mark in front of a question, and its style. */
const MARKS: Readonly<Record<Prompt<unknown>['state'], readonly [StyleName, string]>> = {
  initial: ['accent', S_STEP_ACTIVE],
  active: ['accent', S_STEP_ACTIVE],
  validating: ['accent', S_STEP_ACTIVE],
  error: ['warn', S_STEP_ERROR],
  submit: ['ok', S_STEP_SUBMIT],
  cancel: ['error', S_STEP_CANCEL],
};

/** The escape sequences of colors. */
const COLORS = new RegExp(`${String.fromCharCode(27)}\\[[\\d;]*m`, 'g');
const [HIDE_CURSOR, SHOW_CURSOR] = ['\x1b[?25l', '\x1b[?25h'];

/** Standard error as a prompt draws on it: with the size of the terminal, and without colors if the user wants none. */
export class PromptOutput extends Writable {
  readonly #stderr: Host['stderr'] & { readonly rows?: number };
  /** Paints nothing if there is no color. */
  readonly paint: Paint;
  #frame = '';

  private constructor(stderr: Host['stderr'], paint: Paint) {
    super({ decodeStrings: false });
    this.#stderr = stderr;
    this.paint = paint;
  }

  static async create({ stderr, env }: Host, color: boolean | undefined): Promise<PromptOutput> {
    return new PromptOutput(stderr, await createPaint({ color, env, stream: stderr }));
  }

  get columns(): number {
    return terminalColumns(this.#stderr) ?? DEFAULT_COLUMNS;
  }

  get rows(): number | undefined {
    // A terminal without a size reports 0.
    return this.#stderr.rows || undefined;
  }

  /** Returns what a prompt shows: its question, and these lines. */
  frame({ state }: { readonly state: Prompt<unknown>['state'] }, question: string, lines: readonly string[]): string {
    this.#frame = [`${this.paint(...MARKS[state])}  ${question}`, ...lines].join('\n');
    return this.#frame;
  }

  /** Returns the lines of the answers that the screen has room for, around the one at the cursor. */
  visible<T>(
    question: string,
    options: ShownChoice<T>[],
    cursor: number,
    style: (option: ShownChoice<T>, isActive: boolean) => string,
  ): string[] {
    const rowPadding = question.split('\n').length + 2;
    return limitOptions({ options, cursor, style, output: this, rowPadding });
  }

  /** Returns the hint of an answer, after a space. */
  hint(text = ''): string {
    return text === '' ? '' : ` ${this.paint('dim', `(${text})`)}`;
  }

  /** Shows the cursor, which prompts hide, before the process stops. */
  leave(): void {
    this.#stderr.write(SHOW_CURSOR);
  }

  /** Draws the prompt again, below what the shell wrote. */
  redraw(): void {
    this.write(`${HIDE_CURSOR}${this.#frame}`);
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
    this.#stderr.write(this.paint === paintNothing ? drawn.replace(COLORS, '') : drawn);
    done();
  }
}
