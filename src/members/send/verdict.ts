import type { ServiceError } from '../../service/errors.ts';

/** What a request that did not bring a usable answer means for the rows it carried. */
export type Verdict =
  /** Proof that nothing was done: the service limits (429). */
  | { kind: 'limited'; retryAfterMs: number | undefined }
  /** Proof that nothing was done: there was no connection. */
  | { kind: 'not-sent' }
  /** The request holds more than the service takes at once. `limit` is the number in its words, where it helps. */
  | { kind: 'too-large'; limit: number | undefined; words: string }
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
 */
export function judge(error: ServiceError, sent: number): Verdict {
  const { status } = error;
  if (error.kind === 'certificate') return { kind: 'stop', unclear: false };
  if (error.kind === 'redirect') return { kind: 'stop', unclear: true };
  if (status === 429) return { kind: 'limited', retryAfterMs: error.retryAfterMs };
  if (error.kind === 'refused' && status !== undefined && status < 500) return refusal(error, status, sent);
  if (error.kind !== 'refused' && error.processed === 'no') return { kind: 'not-sent' };
  return { kind: 'unclear', why: error.message, timedOut: error.kind === 'timeout' };
}

function refusal(error: ServiceError, status: number, sent: number): Verdict {
  const words = error.messages.length > 0 ? error.messages.join('; ') : error.message;
  if (status === 413) return { kind: 'too-large', limit: limitIn(words, sent), words };
  if (status === 400 || status === 422) {
    const named = namedEntries(error.messages, sent);
    if (named.length === 0 && speaksOfSize(words)) return { kind: 'too-large', limit: limitIn(words, sent), words };
    return { kind: 'refused', named, words };
  }
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

function speaksOfSize(words: string): boolean {
  return /\b(max(imum)?|at most|no more than|too (many|large|big|long)|size|limit|exceed\w*)\b/i.test(words);
}

/** The largest number in the words that is smaller than what was sent; thousands may be grouped (`1,000`). */
function limitIn(words: string, sent: number): number | undefined {
  const numbers = [...words.matchAll(/\d{1,3}(?:,\d{3})+|\d+/g)].map(([text]) => Number(text.replaceAll(',', '')));
  const fitting = numbers.filter((number) => number > 0 && number < sent);
  return fitting.length === 0 ? undefined : Math.max(...fitting);
}
