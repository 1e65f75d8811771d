import type { ServiceError } from '../../service/errors.ts';

/** What a request that did not bring a usable answer means for the rows it carried. */
export type Verdict =
  /** Proof that nothing was done: the service limits (429). */
  | { kind: 'limited'; retryAfterMs: number | undefined }
  /** Proof that nothing was done: there was no connection. */
  | { kind: 'not-sent' }
  /**
   * The request holds more than the service takes at once. `limit` is the number in its words, where it helps; `sure`:
   * its status says so, not only its words.
   */
  | { kind: 'too-large'; limit: number | undefined; words: string; sure: boolean }
  /** Refused for its entries. `named` are the zero-based positions in the request that the words name. */
  | { kind: 'refused'; named: number[]; words: string }
  /** Nothing more is to be sent. `unclear`: these rows may have been added all the same. */
  | { kind: 'stop'; unclear: boolean }
  /** Nothing tells whether the rows were added. */
  | { kind: 'unclear'; why: string; timedOut: boolean };

/** Of the 4xx these do not prove that nothing was done; the others say so, and every further request would get them too. */
const AMBIGUOUS = new Set([408, 409, 425]);

/**
 * Decides what a failed bulk request means (interface 4.2 and 7 leave all of it open).
 *
 * @param sent entries in the request
 * @param isExisting whether words say that a user is a member already
 */
export function judge(error: ServiceError, sent: number, isExisting: (words: string) => boolean): Verdict {
  const { status } = error;
  if (error.kind === 'certificate') return { kind: 'stop', unclear: false };
  if (error.kind === 'redirect') return { kind: 'stop', unclear: true };
  if (status === 429) return { kind: 'limited', retryAfterMs: error.retryAfterMs };
  if (error.kind === 'refused' && status !== undefined && status < 500) return refusal(error, status, sent, isExisting);
  if (error.kind !== 'refused' && error.processed === 'no') return { kind: 'not-sent' };
  return { kind: 'unclear', why: error.message, timedOut: error.kind === 'timeout' };
}

function refusal(error: ServiceError, status: number, sent: number, isExisting: (words: string) => boolean): Verdict {
  const words = error.messages.length > 0 ? error.messages.join('; ') : error.message;
  if (status === 413) return { kind: 'too-large', limit: limitIn(words, sent), words, sure: true };
  if (status === 400 || status === 422) {
    const named = namedEntries(error.messages, sent);
    if (named.length === 0 && speaksOfSize(words))
      return { kind: 'too-large', limit: limitIn(words, sent), words, sure: false };
    return { kind: 'refused', named, words };
  }
  // Somebody on the list is a member already: that is about an entry, whatever the status.
  if (status === 409 && isExisting(words)) return { kind: 'refused', named: namedEntries(error.messages, sent), words };
  if (AMBIGUOUS.has(status)) return { kind: 'unclear', why: error.message, timedOut: false };
  return { kind: 'stop', unclear: false };
}

/** The entries that messages such as `members.3.role should not be empty`, `members[3]` or `/members/3` name, ascending, each once. */
function namedEntries(messages: readonly string[], sent: number): number[] {
  const named = new Set<number>();
  for (const message of messages) {
    for (const match of message.matchAll(/\bmembers(?:[./]|\[)(\d{1,7})\b/g)) {
      const at = Number(match[1]);
      if (at < sent) named.add(at);
    }
  }
  return [...named].sort((a, b) => a - b);
}

/** Words on the size of the request itself, and not on that of a field or of somebody's plan. */
function speaksOfSize(words: string): boolean {
  const limit = /\b(max(imum)?|at most|no more than|too (many|large|big|long)|limit(ed)?|exceed\w*|up to)\b/i;
  const many =
    /\b(members|entries|items|elements|rows|records|people|users|objects|batch|bulk|list|array|request|payload|body)\b/i;
  return limit.test(words) && many.test(words);
}

/** The largest number in the words that counts entries and is smaller than what was sent; thousands may be grouped (`1,000`). */
function limitIn(words: string, sent: number): number | undefined {
  const numbers = [
    ...words.matchAll(
      /(?<![\w.-])(\d{1,3}(?:,\d{3})+|\d+)(?![\w.]|\s*(?:[kmg]i?b|bytes?|characters?|chars?|seconds?|minutes?|%))/gi,
    ),
  ]
    .map(([, text = '']) => Number(text.replaceAll(',', '')))
    // The status of the answer itself, as a page shows it.
    .filter((number) => number !== 413);
  const fitting = numbers.filter((number) => number > 0 && number < sent);
  return fitting.length === 0 ? undefined : Math.max(...fitting);
}
