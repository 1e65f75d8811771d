import { type ChildProcess, spawn } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ORGADM, writeOrgadm } from '../helpers/orgadm-program.ts';

export const API_KEY = 'key_that_stays_secret_5f1d';

const KILLED_BIN = fileURLToPath(new URL('./killed-bin.js', import.meta.url));

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

/** The environment of a run whose state lies below `home`. */
export function environment(home: string): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '',
    HOME: home,
    ORGADM_STATE_DIR: join(home, 'state'),
    ORGADM_CONFIG_DIR: join(home, 'config'),
    ORGADM_API_KEY: API_KEY,
  };
}

/** An import in batches of three, one at a time, into a service that ends a request with its connection. Later options override these. */
export function bulkAddArgs(list: string, service: { url: string }, more: readonly string[] = []): string[] {
  const sending = ['--batch-size', '3', '--concurrency', '1', '--request-lifetime', '1ms'];
  return ['people', 'bulk-add', list, '--base-url', service.url, ...sending, '--json', ...more];
}

/**
 * Runs the built tool as a process of its own.
 *
 * @param breakAt as `killed-bin.js` accepts it
 * @param within command that runs it, such as one that makes a container
 */
export function startOrgadm(
  home: string,
  args: readonly string[],
  breakAt?: string,
  within: readonly string[] = [],
): Running {
  const program = breakAt === undefined ? ORGADM : [process.execPath, KILLED_BIN];
  const env = { ...environment(home), ...(breakAt === undefined ? {} : { BREAK_AT: breakAt }) };
  const [command = '', ...message] = [...within, ...program, ...args];
  return follow(spawn(command, message, { env, stdio: ['ignore', 'pipe', 'pipe'] }));
}

/** Runs a command line as a user would type it: `orgadm` is on the path. */
export function startShell(home: string, command: string): Running {
  const folder = join(home, 'bin');
  writeOrgadm(folder);
  const env = { ...environment(home), PATH: `${folder}${delimiter}${process.env.PATH ?? ''}` };
  return follow(spawn('/bin/bash', ['-c', command], { env, stdio: ['ignore', 'pipe', 'pipe'] }));
}

function follow(child: ChildProcess): Running {
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
  const output = (text: string) =>
    new Promise<void>((resolve, reject) => {
      const poll = () => {
        if (stderr.includes(text)) resolve();
      };
      child.stderr?.on('data', poll);
      child.on('close', () => reject(new Error(`it ended and never printed "${text}": ${stderr}`)));
      poll();
    });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  return { child, pid: child.pid ?? 0, untilPrinted: output, ended };
}
