import { createInterface } from 'node:readline';
import type { Host } from '../util/host.ts';

/**
 * Asks for lines of text, for terminals that cannot move the cursor. The terminal echoes what is typed, and handles Ctrl-C,
 * Ctrl-D, and Ctrl-Z.
 *
 * @param question one line, ready to be shown
 * @param read returns the answer, or what is wrong with the line
 * @param signal ends the prompt
 * @returns the answer; undefined if the signal ends the prompt
 */
export async function askInLines<T>(
  question: string,
  read: (line: string) => { readonly answer: T } | { readonly problem: string },
  { stdin, stderr, jobControl }: Host,
  signal: AbortSignal,
): Promise<T | undefined> {
  const show = () => void stderr.write(`${question} `);
  const lines = createInterface({ input: stdin, terminal: false });
  const release = jobControl.onContinue(show);
  try {
    return await new Promise<T | undefined>((resolve) => {
      signal.addEventListener('abort', () => resolve(undefined));
      lines.on('line', (line) => {
        const result = read(line.trim());
        if ('answer' in result) return resolve(result.answer);
        stderr.write(`${result.problem}\n`);
        show();
      });
      show();
    });
  } finally {
    release();
    lines.close();
    // After an answer, the terminal has done that.
    if (signal.aborted) stderr.write('\n');
  }
}

/** Reads the number of an answer, from 1 to `count`; undefined for anything else. */
export function readNumber(text: string, count: number): number | undefined {
  const number = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  return number >= 1 && number <= count ? number : undefined;
}
