import { fork, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const POLL_MS = 10;
/** Without the proxy of this machine, and without its certificates, which take Node.js as long to read as to start. */
const DIRECT = { no_proxy: '127.0.0.1', NO_PROXY: '127.0.0.1', NODE_EXTRA_CA_CERTS: undefined };
/** Only a shell tells how much CPU time a process and its children took. Their standard error is file 3 of the shell. */
const TIMED = 'TIMEFORMAT="%R %U %S"; time "$0" "$@" 2>&3';

/** Returns the path of a file in this folder. */
export const here = (name) => fileURLToPath(new URL(name, import.meta.url));

/** Tells whether a program is installed. */
export const has = (program) => spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined;

/** Starts the service in a process of its own; returns its origin and a function that stops it. */
export async function startService() {
  const service = fork(here('service.js'));
  const [port] = await once(service, 'message');
  return { origin: `http://127.0.0.1:${port}`, stop: () => service.disconnect() };
}

/**
 * Runs a command to its end, with its output to /dev/null.
 *
 * @returns `seconds` from start to end, `cpu` seconds of it and its children (user and system), and `peakMb`, the most memory
 *   that one of them had resident (undefined on macOS)
 * @throws Error if the exit code is not 0
 */
export async function measure([command, ...args], env) {
  const files = [openSync('/dev/null'), openSync('/dev/null', 'w')];
  const stdio = [...files, 'pipe', 'pipe'];
  const shell = spawn('bash', ['-c', TIMED, command, ...args], { stdio, env: { ...process.env, ...DIRECT, ...env } });
  files.forEach(closeSync);
  let peakMb;
  const poll = setInterval(() => {
    for (const peak of peaksBelow(shell.pid)) peakMb = Math.max(peakMb ?? 0, peak);
  }, POLL_MS);
  const [times, errors, [code]] = await Promise.all([text(shell.stdio[2]), text(shell.stdio[3]), once(shell, 'close')]);
  clearInterval(poll);
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} exited with ${code}: ${errors}`);
  const [seconds, user, system] = times.trim().split(' ').map(Number);
  return { seconds, cpu: user + system, peakMb };
}

/** Returns the peaks of the processes below one, in MB. The kernel keeps them, so polling misses only the last moment. */
function peaksBelow(pid) {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
    return children.flatMap((child) => {
      const [, peak] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child}/status`, 'utf8')) ?? [];
      return [...(peak === undefined ? [] : [Number(peak) / 1024]), ...peaksBelow(child)];
    });
  } catch {
    return [];
  }
}
