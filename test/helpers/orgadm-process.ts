import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { API_KEY } from './api-key.ts';

/**
 * Node.js 20 compiles undici's parser of responses again after the first one, on another thread for which the process waits: 90 ms of
 * the computing of each of the several hundred processes that the tests start. Later versions wait longer.
 */
const FASTER = process.versions.node.startsWith('20.') ? ['--wasm-tiering-budget=130000000'] : [];

/** How the tests start Node.js. */
const NODE: readonly [string, ...string[]] = [process.execPath, ...FASTER];

const BIN = resolve('bin/orgadm.js');

/** The words that run the built program. */
export const ORGADM: readonly [string, ...string[]] = [...NODE, BIN];

/** A line of shell that runs the built program with the arguments of the script. */
export const RUN_ORGADM = `exec ${ORGADM.map((word) => `'${word}'`).join(' ')} "$@"`;

const BROKEN_FILES = new URL('../e2e/broken-files.js', import.meta.url).href;

export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface Running {
  readonly child: ChildProcess;
  readonly pid: number;
  /** Resolves when the process has written this to standard error. */
  untilPrinted(text: string): Promise<void>;
  readonly ended: Promise<Ended>;
}

export interface ProcessOptions {
  /** Variables next to the path, the key, and the directories of state and configuration, which are below `home`. */
  env?: Readonly<Record<string, string>>;
  /** The entire standard input. */
  stdin?: string;
}

/** Writes `orgadm` into a folder, a program that runs the built one. */
export function writeOrgadm(folder: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'orgadm'), `#!/bin/sh\n${RUN_ORGADM}\n`, { mode: 0o755 });
}

/** Runs the built tool as a process of its own, until it ends. */
export function runOrgadm(home: string, args: readonly string[], options: ProcessOptions = {}): Promise<Ended> {
  return start(home, [...ORGADM, ...args], options).ended;
}

/**
 * Starts the built tool as a process of its own.
 *
 * @param breakAt as `breakFiles` accepts it
 * @param within command that runs it, such as one that makes a container
 */
export function startOrgadm(
  home: string,
  args: readonly string[],
  breakAt?: string,
  within: readonly string[] = [],
): Running {
  if (breakAt === undefined) return start(home, [...within, ...ORGADM, ...args]);
  return start(home, [...within, ...NODE, '--import', BROKEN_FILES, BIN, ...args], { env: { BREAK_AT: breakAt } });
}

/** Starts a command line as a user would type it: `orgadm` is on the path. */
export function startShell(home: string, line: string, { env = {}, stdin }: ProcessOptions = {}): Running {
  const folder = join(home, 'bin');
  writeOrgadm(folder);
  const path = { PATH: `${folder}${delimiter}${process.env.PATH ?? ''}` };
  return start(home, ['/bin/bash', '-c', line], { env: { ...path, ...env }, ...(stdin !== undefined && { stdin }) });
}

function start(home: string, words: readonly string[], { env = {}, stdin = '' }: ProcessOptions = {}): Running {
  const own = {
    PATH: process.env.PATH ?? '',
    HOME: home,
    ORGADM_STATE_DIR: join(home, 'state'),
    ORGADM_CONFIG_DIR: join(home, 'config'),
    ORGADM_API_KEY: API_KEY,
  };
  const [command = '', ...args] = words;
  const child = spawn(command, args, { env: { ...own, ...env }, stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.end(stdin);
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (printed: string) => {
    stderr += printed;
  });
  const ended = Promise.all([text(child.stdout), once(child, 'close')]).then(([stdout, [code, signal]]) => ({
    code,
    signal,
    stdout,
    stderr,
  }));
  const untilPrinted = (expected: string) =>
    new Promise<void>((resolve, reject) => {
      const check = () => {
        if (stderr.includes(expected)) resolve();
      };
      child.stderr.on('data', check);
      child.on('close', () => reject(new Error(`it ended and never printed "${expected}": ${stderr}`)));
      check();
    });
  return { child, pid: child.pid ?? 0, untilPrinted, ended };
}

/** Returns `more` and those options of `defaults` that it does not have. All have values. */
export function withDefaults(defaults: Readonly<Record<string, string>>, more: readonly string[]): string[] {
  const added = Object.entries(defaults).filter(([name]) => !more.includes(name));
  return [...added.flat(), ...more];
}

/** An import in batches of three, one at a time, into a service that ends a request with its connection, unless `more` says otherwise. */
export function addCommand(list: string, service: { url: string }, more: readonly string[] = []): string[] {
  const sending = { '--batch-size': '3', '--concurrency': '1', '--request-lifetime': '1ms' };
  return ['people', 'bulk-add', list, '--base-url', service.url, ...withDefaults(sending, more)];
}

/** The same with a JSON report. */
export function bulkAddArgs(list: string, service: { url: string }, more: readonly string[] = []): string[] {
  return addCommand(list, service, ['--json', ...more]);
}
