import type { Host } from './host.ts';

/** Returns a host without terminals if the variable CI says that no person is there; otherwise, the same host. */
export function withoutTerminalInCi(host: Host): Host {
  const { CI = '' } = host.env;
  if (['', '0', 'false'].includes(CI.toLowerCase())) return host;
  return Object.create(host, {
    // Opened on first use, as in the host itself.
    stdin: { get: () => asPipe(host.stdin) },
    stdout: { value: asPipe(host.stdout) },
    stderr: { value: asPipe(host.stderr) },
  });
}

/** Returns a stream that does everything that the given one does, and is no terminal. */
function asPipe<T extends object>(stream: T): T {
  return new Proxy(stream, {
    get(target, name) {
      if (name === 'isTTY') return false;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
