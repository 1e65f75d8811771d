import { escapeJson } from '../../output/sanitize.ts';

const LONGEST = 60;
const MOST = 30;

/** A value of a list as it stands in a message: in quotes, on one line, safe for a terminal, cut after 60 characters. */
export function quote(value: string): string {
  const characters = [...value.slice(0, LONGEST * 2 + 2)];
  const shown = characters.length > LONGEST ? `${characters.slice(0, LONGEST).join('')}…` : value;
  return escapeJson(JSON.stringify(shown));
}

/** Several values, quoted, with commas between them; of very many the first 30. */
export function quoteAll(values: Iterable<string>): string {
  return enumerate([...values].map(quote));
}

/** The items with commas between them; of very many the first 30, and how many more there are. */
export function enumerate(items: readonly string[]): string {
  const shown = items.slice(0, MOST).join(', ');
  return items.length > MOST ? `${shown} and ${items.length - MOST} more` : shown;
}
