import { DRAWN_PROMPTS, MemoryTerminal } from './run-cli.ts';

export const DOWN = '\u001b[B';
export const UP = '\u001b[A';
export const ENTER = '\r';

/** Moves to an answer of a question without a default, from 1, and accepts it. */
export function choice(number: number): string {
  return `${DOWN.repeat(number)}${ENTER}`;
}

/** Accepts the last answer of a question without a default, or one before it: 2 is the one before the last. */
export function last(number = 1): string {
  return `${UP.repeat(number)}${ENTER}`;
}

/** Types a line. */
export function line(text: string): string {
  return `${text}${ENTER}`;
}

/** The answers to "Is this right?": the first one is the default. */
export const [RIGHT, SAVE, CHANGE] = [ENTER, choice(1), choice(2)];

/** The options of a run on a terminal that types the answers, then Ctrl-C at a question that no answer is for. */
export function answering(typed: readonly string[]): { terminal: MemoryTerminal; env: Record<string, string> } {
  return { terminal: new MemoryTerminal([...typed, '\u0003']), env: DRAWN_PROMPTS };
}
