import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('../bin/orgadm.js', import.meta.url));

/**
 * Writes down what the bundle prints as the help of the whole, for the program to show it without loading the bundle.
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
