import { EventEmitter } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { afterEach } from 'vitest';
import { type Clock, systemClock } from '../../src/clock.ts';
import type { Environment, Host, Signal } from '../../src/host.ts';
import { main } from '../../src/main.ts';

export interface CliOptions {
  env?: Environment;
  stdin?: string | Buffer | Readable;
  clock?: Clock;
  random?: () => number;
  /** Columns of a terminal on stdout; without it stdout is piped. */
  columns?: number;
  /** Emits the signals that the run is to receive. */
  signals?: EventEmitter;
}

export interface CliResult {
  code: number;
  stdout: string;
  stderr: string;
  /** stdout as the one JSON document that it must be. */
  json(): unknown;
}

/** A folder of its own for a test file's runs: state, configuration, files. Removed after each test. */
export function cliFolder(): { readonly path: string; file(name: string): string } {
  let folder: string | undefined;
  afterEach(() => {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    folder = undefined;
  });
  const path = () => {
    folder ??= mkdtempSync(join(tmpdir(), 'orgadm-test-'));
    return folder;
  };
  return {
    get path() {
      return path();
    },
    file: (name) => join(path(), name),
  };
}

/** Runs one command line in this process, with memory streams, as `bin` runs it with those of the process. */
export async function runCli(home: string, argv: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  const stdout = new MemoryOutput(options.columns);
  const stderr = new MemoryOutput(undefined);
  const signals = options.signals ?? new EventEmitter();
  const host: Host = {
    stdin: options.stdin instanceof Readable ? options.stdin : Readable.from([Buffer.from(options.stdin ?? '')]),
    stdout,
    stderr,
    env: { ORGADM_STATE_DIR: join(home, 'state'), ORGADM_CONFIG_DIR: join(home, 'config'), ...options.env },
    home,
    pid: process.pid,
    isRunning: (pid) => pid === process.pid,
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
    onSignal(listener) {
      const listen = (signal: Signal) => listener(signal);
      signals.on('signal', listen);
      return () => signals.off('signal', listen);
    },
  };
  const code = await main(argv, host);
  return { code, stdout: stdout.text, stderr: stderr.text, json: () => JSON.parse(stdout.text) };
}

class MemoryOutput extends Writable {
  readonly isTTY: boolean;
  readonly columns: number;
  readonly #chunks: string[] = [];

  constructor(columns: number | undefined) {
    super();
    this.isTTY = columns !== undefined;
    this.columns = columns ?? 80;
  }

  get text(): string {
    return this.#chunks.join('');
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#chunks.push(chunk.toString());
    done();
  }
}
