import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Writes `orgadm` into a folder, a program that runs the built one. */
export function writeOrgadm(folder: string): void {
  mkdirSync(folder, { recursive: true });
  const script = `#!/bin/sh\nexec '${process.execPath}' '${resolve('bin/orgadm.js')}' "$@"\n`;
  writeFileSync(join(folder, 'orgadm'), script, { mode: 0o755 });
}
