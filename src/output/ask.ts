import { createInterface } from 'node:readline';
import type { Host } from '../util/host.ts';

/** Whether there is someone who can be asked a question. */
export function canAsk({ stdin, stderr }: Host): boolean {
  return Boolean(stdin.isTTY && stderr.isTTY);
}

/**
 * Asks a question on the terminal.
 *
 * @param question shown on standard error; must be safe for a terminal
 * @returns whether the user types y or yes; false at the end of input
 */
export async function askYesOrNo(question: string, { stdin, stderr }: Host): Promise<boolean> {
  stderr.write(`${question} [y/N] `);
  const lines = createInterface({ input: stdin });
  try {
    for await (const line of lines) return /^\s*y(?:es)?\s*$/i.test(line);
    return false;
  } finally {
    lines.close();
  }
}
