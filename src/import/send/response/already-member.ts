import type { FailedNote, Outcome } from '../../outcome.ts';
import { shortenMessage } from './row-messages.ts';

/**
 * The complete messages and codes with which services say that a user is already a member of the organization (interface 4.2
 * names the case, not the message). Only complete messages count: within a longer sentence, the same words may be negated or
 * be about another organization. A row wrongly reported as a member is silently lost; a row wrongly left `failed` is reported
 * with the setting that accepts its message.
 */
const EXISTING: readonly RegExp[] = [
  /^(?:USER is )?already a member(?: (?:of|in) ORGANIZATION)?$/,
  /^USER already (?:exists in|belongs to|is in) ORGANIZATION$/,
  /^(?:member|membership)(?: (?:of|for) \S*[@\d"']\S*)? already exists$/,
  /^(?:err_|error_)?(?:user_|member_)?(?:is_)?already_(?:a_)?member$/,
  /^(?:err_|error_)?(?:member|membership)_already_exists$/,
].map(({ source }) => {
  // One word may name the user: an address, an ID with a digit, or anything in quotes. "User group" is someone else.
  const user = String.raw`(?:(?:the |this )?(?:user|member|person)(?: \S*[@\d"']\S*)?|\S+@\S+)`;
  return new RegExp(source.replace('USER', user).replace('ORGANIZATION', '(?:this|the|your) organi[sz]ation'));
});

/** Longer messages are not recognized. */
const MAX_LENGTH = 300;

/**
 * Returns whether a message says that the user is already a member.
 *
 * @param phrases the setting `wire.member.existing`
 */
export function isAlreadyMember(message: string, phrases: readonly string[]): boolean {
  const text = normalize(message);
  const code = text.replaceAll('-', '_');
  const isKnown = text.length <= MAX_LENGTH && EXISTING.some((known) => known.test(text) || known.test(code));
  return isKnown || phrases.some((phrase) => matchesPhrase(message, phrase));
}

/**
 * Returns whether a message that is not recognized may say so nevertheless: then the report names the setting. A key such as
 * `members` of JSON in the message does not count, and neither does a list of roles, one of which is often `member`.
 */
export function mayBeAlreadyMember(message: string): boolean {
  return /already|exists|member(?!s\b)/i.test(message) && !/\bmust be\b|\bone of\b/i.test(message);
}

/**
 * Returns the outcome of a row that the service rejected individually: an existing member, or one that has failed.
 *
 * @param phrases the setting `wire.member.existing`
 */
export function rejectedOutcome(message: string, phrases: readonly string[], note?: FailedNote): Outcome {
  const text = shortenMessage(message);
  return isAlreadyMember(message, phrases)
    ? { state: 'existing', message: text }
    : { state: 'failed', message: text, note };
}

function normalize(message: string): string {
  return message
    .replaceAll(/([a-z])([A-Z])(?=[A-Za-z]*$)/g, '$1_$2')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replace(/\.$/, '')
    .toLowerCase();
}

/**
 * Returns whether a message matches a phrase, ignoring case. A phrase may be anywhere in the message. One with `*`, which
 * matches any text, has to match the entire message.
 */
function matchesPhrase(message: string, phrase: string): boolean {
  if (phrase === '') return false;
  const parts = phrase.split('*').map(escapeForRegExp);
  const text = message.replaceAll(/\s+/g, ' ').trim();
  return new RegExp(parts.length === 1 ? parts.join('') : `^${parts.join('.*')}$`, 'i').test(text);
}

function escapeForRegExp(text: string): string {
  return text.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`);
}
