import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/**
 * Node.js 20 compiles undici's parser of responses again after the first one, on another thread for which the process waits: 90 ms of
 * the computing of each of the several hundred processes that the tests start. Later versions wait longer.
 */
const FASTER = process.versions.node.startsWith('20.') ? ['--wasm-tiering-budget=130000000'] : [];

/** How the tests start Node.js. */
export const NODE: readonly [string, ...string[]] = [process.execPath, ...FASTER];

/** The words that run the built program. */
export const ORGADM: readonly [string, ...string[]] = [...NODE, resolve('bin/orgadm.js')];

/** A line of shell that runs the built program with the arguments of the script. */
export const RUN_ORGADM = `exec ${ORGADM.map((word) => `'${word}'`).join(' ')} "$@"`;

/** Writes `orgadm` into a folder, a program that runs the built one. */
export function writeOrgadm(folder: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'orgadm'), `#!/bin/sh\n${RUN_ORGADM}\n`, { mode: 0o755 });
}
