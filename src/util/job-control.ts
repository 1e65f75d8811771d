import { readFileSync } from 'node:fs';
import type { JobControl } from './host.ts';

/** Returns the job control of a process, with the signals that a terminal and a shell send. */
export function jobControlOf(process: NodeJS.Process): JobControl {
  return {
    canStop: () => !isOrphaned(process.pid),
    // 0 is the process group: a shell waits for its leader, which may be npx or a script.
    stop: () => void process.kill(0, 'SIGTSTP'),
    onContinue(listener) {
      process.on('SIGCONT', listener);
      return () => process.off('SIGCONT', listener);
    },
  };
}

/**
 * Whether no process of the session waits for this process group, which makes the kernel ignore SIGTSTP: the process has an
 * SSH connection, a tmux window, or a container of its own. False on a system without /proc.
 */
function isOrphaned(pid: number): boolean {
  const own = readStat(pid);
  if (own === undefined) return false;
  for (let parent = readStat(own.parent); parent?.session === own.session; parent = readStat(parent.parent)) {
    if (parent.group !== own.group) return false;
  }
  return true;
}

/** Reads the parent, the process group, and the session of a process; undefined if there is no such file. */
function readStat(pid: number): { parent: number; group: number; session: number } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program, in parentheses, may contain any character.
    const [, parent, group, session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ', 4);
    return { parent: Number(parent), group: Number(group), session: Number(session) };
  } catch {
    return undefined;
  }
}
