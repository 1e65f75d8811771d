import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const { ORGADM_PROGRAM } = process.env;

/** The executable that ORGADM_PROGRAM names; undefined if the tests run bin/orgadm.js. */
export const EXECUTABLE = ORGADM_PROGRAM === undefined ? undefined : resolve(ORGADM_PROGRAM);

/** The words that run the built program: Node.js and bin/orgadm.js, or the executable. */
export const ORGADM: readonly [string, ...string[]] =
  EXECUTABLE === undefined ? [process.execPath, resolve('bin/orgadm.js')] : [EXECUTABLE];

/** A line of shell that runs the built program with the arguments of the script. */
export const RUN_ORGADM = `exec ${ORGADM.map((word) => `'${word}'`).join(' ')} "$@"`;

/** Writes `orgadm` into a folder, a program that runs the built one. */
export function writeOrgadm(folder: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'orgadm'), `#!/bin/sh\n${RUN_ORGADM}\n`, { mode: 0o755 });
}
