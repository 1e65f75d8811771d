import type { IndexBase } from '../journal/journal-records.ts';

/** Phrases of a service's messages, from the settings. */
export interface MessagePhrases {
  /** For a user who is already a member. */
  readonly existing: readonly string[];
  /** For a user who does not exist. */
  readonly unknown: readonly string[];
}

/** What the settings say about a service that the interface leaves open (interface 4.2). */
export interface ServiceConventions extends MessagePhrases {
  /** The number of the first entry in `errors[].index`. */
  readonly errorIndexBase: IndexBase | undefined;
  /** The number of the first entry in the messages of a 400. */
  readonly namesBase: IndexBase | undefined;
}

/**
 * Returns whether a message matches a phrase of the settings, ignoring case. A phrase may be anywhere in the message. One
 * with `*`, which matches any text, has to match the whole message.
 */
export function matchesPhrase(message: string, phrase: string): boolean {
  if (phrase === '') return false;
  const text = message.replaceAll(/\s+/g, ' ').trim().toLowerCase();
  const parts = phrase.toLowerCase().split('*');
  const [first = '', ...others] = parts;
  if (others.length === 0) return text.includes(first);
  const last = others.pop() ?? '';
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return false;
  let at = first.length;
  for (const part of others) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= text.length - last.length;
}
