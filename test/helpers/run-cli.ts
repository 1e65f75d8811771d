import { EventEmitter } from 'node:events';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { PassThrough, Readable, Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { main } from '../../src/main.ts';
import { type Clock, type Environment, type Host, type Signal, systemClock } from '../../src/util/host.ts';

export interface CliOptions {
  env?: Environment;
  stdin?: string | Buffer | Readable;
  clock?: Clock;
  random?: () => number;
  /** A terminal on stdin and stderr, that responds to prompts; without it both are piped. */
  terminal?: MemoryTerminal;
  /** Columns of a terminal on stdout, and of `terminal`, which has 80 by default; without it stdout is piped. */
  columns?: number;
  /** Whether stderr is written to stdout, as by `2>&1`. */
  isMerged?: boolean;
  /** Emits the signals that the run is to receive. */
  signals?: EventEmitter;
  platform?: NodeJS.Platform;
  /** The user's id, if it is to differ from that of the tests. */
  uid?: number;
}

export interface CliResult {
  code: number;
  stdout: string;
  stderr: string;
  /** stdout as the one JSON document that it must be. */
  json(): unknown;
}

/** The escape sequences with which a prompt moves the cursor and erases what it draws again. */
const DRAWING = new RegExp(`${String.fromCharCode(27)}\\[[?\\d;]*[A-Za-z]`, 'g');

/** Returns all that a prompt has drawn, without escape sequences and bars, in one line. */
export function drawnText(stderr: string): string {
  return stderr.replace(DRAWING, '').replace(/[\s│]+/g, ' ');
}

/**
 * Runs one command line in this process, with memory streams, as `bin` runs it with those of the process.
 *
 * @param home where state and configuration are
 */
export async function runCli(
  home: string,
  argv: readonly string[],
  options: CliOptions = {},
  program = main,
): Promise<CliResult> {
  const { host, stdout, stderr } = memoryHost(home, options);
  const code = await program(argv, host);
  return { code, stdout: stdout.text, stderr: stderr.text, json: () => JSON.parse(stdout.text) };
}

const BUILT = resolve('dist/main.cjs');

/** The same with the built program: a process of its own takes a quarter of a second of computing. */
export function runBuilt(home: string, argv: readonly string[], options?: CliOptions): Promise<CliResult> {
  const built = createRequire(import.meta.url)(BUILT) as { main: typeof main };
  return runCli(home, argv, options, built.main);
}

/** Creates the host of a run with memory streams, as `bin` does from the process; state and configuration are in `home`. */
export function memoryHost(
  home: string,
  options: CliOptions = {},
): { host: Host; stdout: MemoryOutput; stderr: MemoryOutput } {
  const stdout = new MemoryOutput(options.columns);
  const stderr = options.isMerged
    ? stdout
    : new MemoryOutput(options.terminal === undefined ? undefined : (options.columns ?? 80));
  const signals = options.signals ?? new EventEmitter();
  const host: Host = {
    stdin: options.terminal ?? stdinOf(options.stdin),
    stdout,
    stderr,
    env: { ORGADM_STATE_DIR: join(home, 'state'), ORGADM_CONFIG_DIR: join(home, 'config'), ...options.env },
    home,
    platform: options.platform ?? 'linux',
    uid: options.uid ?? process.getuid?.(),
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
    onSignal(listener) {
      const listen = (signal: Signal) => listener(signal);
      signals.on('signal', listen);
      return () => signals.off('signal', listen);
    },
    onCrash: (listener) => void signals.on('crash', listener),
    onIdle: () => () => {},
    exitNow(code) {
      throw new Error(`the run ended its process with ${code}`);
    },
  };
  return { host, stdout, stderr };
}

function stdinOf(stdin: string | Buffer | Readable | undefined): Readable {
  return stdin instanceof Readable ? stdin : Readable.from([Buffer.from(stdin ?? '')]);
}

/**
 * A terminal's keyboard. What is to be typed is typed when the tool reads it, piece by piece; what follows a piece that ends
 * with Enter is typed at the next prompt.
 */
export class MemoryTerminal extends PassThrough {
  readonly isTTY = true;
  /** Every switch to raw mode and back. */
  readonly rawModes: boolean[] = [];
  readonly #typed: (string | Buffer)[];
  readonly #whenAsked: () => void;
  #isTyping = false;

  /** @param whenAsked called once the echo is off and all is typed */
  constructor(typed: readonly (string | Buffer)[], whenAsked: () => void = () => {}) {
    super();
    this.#typed = [...typed];
    this.#whenAsked = whenAsked;
  }

  setRawMode(raw: boolean): this {
    if (raw === (this.rawModes.at(-1) ?? false)) return this;
    this.rawModes.push(raw);
    return this;
  }

  override resume(): this {
    if (!this.#isTyping) this.#type();
    return super.resume();
  }

  async #type(): Promise<void> {
    this.#isTyping = true;
    await nextTurn();
    for (let piece = this.#typed.shift(); piece !== undefined; piece = this.#typed.shift()) {
      const isEntered = piece.toString().endsWith('\r');
      // The next prompt may start before the next turn.
      if (isEntered) this.#isTyping = false;
      this.write(piece);
      await nextTurn();
      if (isEntered) break;
    }
    this.#whenAsked();
  }
}

/** Standard output or standard error in memory: a terminal of so many columns, or a pipe. */
export class MemoryOutput extends Writable {
  readonly isTTY: boolean;
  columns: number;
  readonly #chunks: Buffer[] = [];
  // What a terminal has for its progress line.
  clearLine = () => true;
  cursorTo = () => true;
  moveCursor = () => true;

  constructor(columns: number | undefined) {
    super();
    this.isTTY = columns !== undefined;
    this.columns = columns ?? 80;
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  get text(): string {
    return this.bytes.toString();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#chunks.push(chunk);
    done();
  }
}
