import { UsageError } from '../../../util/errors.ts';
import { formatCount } from '../../../util/units.ts';

/** The reasons why quotes are not as CSV has them. */
export const QUOTING_REASONS = {
  textAfter: 'text follows a closing quote',
  unclosed: 'the quote that opens here is never closed',
  inside: 'a quote inside the text',
  backslash: 'a backslash before a quote, but CSV doubles quotes ("")',
} as const;

export type QuotingReason = keyof typeof QUOTING_REASONS;

const HINTS = {
  others: 'Quote the entire cell, close the quote, and double a quote that belongs to its text: "say ""hi""".',
  backslash:
    'Replace each \\" with "" in an editor, or have the export double its quotes (in MySQL: ESCAPED BY \'"\').',
} as const;

/** Mistakes that are shown. */
const MAX_SHOWN = 20;

/** The mistakes in the quoting of a list, so that people see all of them at once. */
export class QuotingMistakes {
  count = 0;
  readonly #shown: string[] = [];
  #hasOthers = false;

  /** @param column the number of the cell in its record, from 1 */
  add(line: number, column: number, reason: QuotingReason): void {
    this.count++;
    this.#hasOthers ||= reason !== 'backslash';
    if (this.#shown.length < MAX_SHOWN) this.#shown.push(`line ${line}, column ${column}: ${QUOTING_REASONS[reason]}`);
  }

  /** @throws UsageError that names them, if there are any */
  throwIfAny(): void {
    if (this.count === 0) return;
    const more = this.count - this.#shown.length;
    const lines = more === 0 ? this.#shown : [...this.#shown, `and ${formatCount(more)} more`];
    const message = this.count === 1 ? lines : [`${formatCount(this.count)} mistakes in quoting`, ...lines];
    throw new UsageError(message.join('\n'), HINTS[this.#hasOthers ? 'others' : 'backslash'], 'bad-list');
  }
}
