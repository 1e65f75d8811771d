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
