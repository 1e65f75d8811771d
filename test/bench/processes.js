import { fork, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const POLL_MS = 10;
/** A proxy of this machine is not to be measured, nor certificates, which take Node as long to read as to start. */
const DIRECT = { no_proxy: '127.0.0.1', NO_PROXY: '127.0.0.1', NODE_EXTRA_CA_CERTS: undefined };

/** Returns the path of a file in this directory. */
export const here = (name) => fileURLToPath(new URL(name, import.meta.url));

/** Whether a program is installed. */
export const has = (program) => spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined;

/** Starts the service, and returns its origin and a function that ends it. */
export async function startServer() {
  const server = fork(here('server.js'));
  const [port] = await once(server, 'message');
  return { origin: `http://127.0.0.1:${port}`, stop: () => server.disconnect() };
}

/**
 * Runs a command to its end.
 *
 * @param options `stdin` and `stdout` are files; `expect` is the exit code that is right
 * @returns seconds from start to end, the most memory it or one child of it had resident, in MB (undefined off Linux), and
 *   its standard error
 */
export async function measure(command, args, { env = {}, stdin, stdout = '/dev/null', expect = 0 } = {}) {
  const files = [openSync(stdin ?? '/dev/null'), openSync(stdout, 'w')];
  const began = performance.now();
  const child = spawn(command, args, { stdio: [...files, 'pipe'], env: { ...process.env, ...DIRECT, ...env } });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    output += text;
  });
  let peakMb;
  const poll = setInterval(() => {
    const now = peakOf(child.pid);
    if (now !== undefined) peakMb = Math.max(peakMb ?? 0, now);
  }, POLL_MS);
  const [code] = await once(child, 'close');
  const seconds = (performance.now() - began) / 1000;
  clearInterval(poll);
  files.forEach(closeSync);
  if (code !== expect) throw new Error(`${command} ${args.join(' ')} ended with ${code}: ${output}`);
  return { seconds, peakMb, stderr: output };
}

/** The high-water mark of a process and its children; the kernel keeps it, so that polling misses only the last moment. */
function peakOf(pid) {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
    const marks = [pid, ...children].map((id) => /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${id}/status`, 'utf8')));
    return Math.max(...marks.map((mark) => Number(mark?.[1] ?? 0))) / 1024;
  } catch {
    return undefined;
  }
}
