import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { ORGADM } from '../helpers/orgadm-program.ts';

export interface BinOptions {
  /** The entire standard input. */
  stdin?: string;
  env?: Readonly<Record<string, string>>;
}

export interface BinResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Starts the built program in a new process, whose environment has only the path and `env`. */
export function startBin(
  argv: readonly string[],
  env: Readonly<Record<string, string>> = {},
): ChildProcessByStdio<Writable, Readable, Readable> {
  const path = process.env.PATH ?? '';
  const [command, ...args] = [...ORGADM, ...argv] as const;
  return spawn(command, args, { env: { PATH: path, ...env }, stdio: ['pipe', 'pipe', 'pipe'] });
}

/** Runs the built program until it exits. */
export async function runBin(argv: readonly string[], { stdin = '', env = {} }: BinOptions = {}): Promise<BinResult> {
  const child = startBin(argv, env);
  child.stdin.end(stdin);
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code, stdout, stderr };
}

/** Creates a function that runs the built program with configuration and state in a directory. */
export function createBinRunner(directory: { file(name: string): string }, env: Readonly<Record<string, string>>) {
  const own = { ORGADM_STATE_DIR: directory.file('state'), ORGADM_CONFIG_DIR: directory.file('config'), ...env };
  return (argv: readonly string[], more: Readonly<Record<string, string>> = {}) =>
    runBin(argv, { env: { ...own, ...more } });
}
