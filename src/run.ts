import { homedir } from 'node:os';
import { main } from './main.ts';
import { systemClock } from './util/clock.ts';
import { type Host, SIGNAL_EXIT, type Signal } from './util/host.ts';

/** A run that is over by then has no heap worth keeping small, in milliseconds. */
const LONG_RUN_MS = 200;

/** Runs the tool as a process: takes its words, streams and environment from there, and sets its exit code. */
export async function run(process: NodeJS.Process): Promise<void> {
  setTimeout(async () => (await import('./util/heap-limit.ts')).limitHeap(), LONG_RUN_MS).unref();
  process.exitCode = await main(process.argv.slice(2), hostOf(process));
}

function hostOf(process: NodeJS.Process): Host {
  return {
    // Opened when it is first asked for: few commands read it.
    get stdin() {
      return process.stdin;
    },
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    home: homeDirectory(),
    pid: process.pid,
    uid: process.getuid?.(),
    isRunning(pid) {
      try {
        return process.kill(pid, 0);
      } catch (error) {
        return error instanceof Error && 'code' in error && error.code === 'EPERM';
      }
    },
    clock: systemClock,
    random: Math.random,
    onSignal(listener) {
      const signals = Object.keys(SIGNAL_EXIT) as Signal[];
      for (const signal of signals) process.on(signal, listener);
      return () => {
        for (const signal of signals) process.off(signal, listener);
      };
    },
  };
}

/** Empty where there is no HOME and the system does not know the user, as in a container with an arbitrary user id. */
function homeDirectory(): string {
  try {
    return homedir();
  } catch {
    return '';
  }
}
