import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import type { main } from '../../src/main.ts';
import { type CliOptions, type CliResult, memoryHost } from './run-cli.ts';

const built = createRequire(import.meta.url)(resolve('dist/main.cjs')) as { readonly main: typeof main };

/**
 * Runs one command line with the built program, but in this process: a process of its own takes a quarter of a second of
 * computing. State and configuration are in `home`.
 */
export async function runBuilt(home: string, argv: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  const { host, stdout, stderr } = memoryHost(home, options);
  const code = await built.main(argv, host);
  return { code, stdout: stdout.text, stderr: stderr.text, json: () => JSON.parse(stdout.text) };
}

/** Runs something in another current directory. */
export async function within<T>(folder: string, run: () => Promise<T>): Promise<T> {
  const before = process.cwd();
  process.chdir(folder);
  try {
    return await run();
  } finally {
    process.chdir(before);
  }
}

/** A part of a word that every shell reads as it is. */
const PART = /'[^'\n]*'|"[^"$`\\\n]*"|[\w.,:/=@+-]/.source;
const PLAIN = new RegExp(`^(?:npx )?orgadm((?: +(?:${PART})+)+)$`);

/** Returns the arguments of an `orgadm` without shell syntax other than quotes; undefined for other commands. */
export function plainWords(command: string): string[] | undefined {
  const line = command.replace(/\\\n */g, '').replace(/ +#.*$/, '');
  const [, words] = PLAIN.exec(line) ?? [];
  const found = words?.match(new RegExp(`(?:${PART})+`, 'g'));
  return found?.map((word) => word.replace(/'([^']*)'|"([^"]*)"/g, '$1$2'));
}
