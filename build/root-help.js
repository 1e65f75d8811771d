import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('../bin/orgadm.js', import.meta.url));

/**
 * Writes the root help to a file, so that the program can print it without loading the bundle.
 *
 * @returns {import('rolldown').Plugin}
 */
export function rootHelp() {
  return {
    name: 'root-help',
    writeBundle({ dir }) {
      writeFileSync(join(dir, 'help.txt'), execFileSync(process.execPath, [PROGRAM, '--help']));
    },
  };
}
