import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { delimiter, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { NODE, ORGADM, writeOrgadm } from './orgadm-program.ts';

export const API_KEY = 'key_that_stays_secret_5f1d';

const KILLED_BIN = fileURLToPath(new URL('../e2e/killed-bin.js', import.meta.url));

type Variables = Readonly<Record<string, string>>;

type Started = ChildProcessByStdio<Writable, Readable, Readable>;

/** Starts a command in a new process, whose environment has only the path and `env`. */
function start(words: readonly string[], env: Variables): Started {
  const [command = '', ...args] = words;
  return spawn(command, args, { env: { PATH: process.env.PATH ?? '', ...env }, stdio: ['pipe', 'pipe', 'pipe'] });
}

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

export interface BinOptions {
  /** The entire standard input. */
  stdin?: string;
  env?: Variables;
}

export interface BinResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Starts the built program in a new process, whose environment has only the path and `env`. */
export function startBin(argv: readonly string[], env: Variables = {}): Started {
  return start([...ORGADM, ...argv], env);
}

/** Runs the built program until it exits. */
export async function runBin(argv: readonly string[], { stdin = '', env = {} }: BinOptions = {}): Promise<BinResult> {
  const child = startBin(argv, env);
  child.stdin.end(stdin);
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code, stdout, stderr };
}

/** Creates a function that runs the built program with configuration and state in a directory. */
export function createBinRunner(directory: { file(name: string): string }, env: Variables) {
  return (argv: readonly string[], more: Variables = {}) => {
    const own = { ORGADM_STATE_DIR: directory.file('state'), ORGADM_CONFIG_DIR: directory.file('config') };
    return runBin(argv, { env: { ...own, ...env, ...more } });
  };
}

/** The environment of a run whose state lies below `home`. */
function environment(home: string): Record<string, string> {
  return {
    HOME: home,
    ORGADM_STATE_DIR: join(home, 'state'),
    ORGADM_CONFIG_DIR: join(home, 'config'),
    ORGADM_API_KEY: API_KEY,
  };
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

/**
 * Runs the built tool as a process of its own.
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
  const program = breakAt === undefined ? ORGADM : [...NODE, KILLED_BIN];
  const env = { ...environment(home), ...(breakAt === undefined ? {} : { BREAK_AT: breakAt }) };
  return follow(start([...within, ...program, ...args], env));
}

/** Runs a command line as a user would type it: `orgadm` is on the path. */
export function startShell(home: string, command: string): Running {
  const folder = join(home, 'bin');
  writeOrgadm(folder);
  const env = { ...environment(home), PATH: `${folder}${delimiter}${process.env.PATH ?? ''}` };
  return follow(start(['/bin/bash', '-c', command], env));
}

function follow(child: Started): Running {
  child.stdin.end();
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
