import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * Reads the manual page of a command, in the man(7) language. The build puts the pages next to the program.
 *
 * @param command the words that call it: `orgadm`, `orgadm people bulk-add`
 */
export function readManPage(command: string): string {
  const name = `${command.replaceAll(' ', '-')}.1`;
  return readFileSync(fileURLToPath(new URL(`../man/${name}`, import.meta.url)), 'utf8');
}
