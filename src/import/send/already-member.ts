import type { IndexBase } from '../journal/journal-records.ts';

/**
 * Recognizes messages that say that a user is already a member of the organization. The interface (4.2) names the case,
 * not the message. Only complete statements count: within a longer sentence the same phrase may be negated, or be about
 * another organization, a team, an invitation or a device label. A row wrongly reported as a member is silently lost;
 * a row wrongly left `failed` is reported with the setting that accepts its message.
 *
 * Messages of a database ("duplicate key value ...") are not accepted: a unique key collides with a deactivated
 * membership too, and its name does not prove which table it belongs to.
 */

/** Longer messages are not recognized, which bounds the time spent on one. */
const MAX_LENGTH = 1_000;

/** Matches every message that is recognized, or nearly, and rules out all others at low cost. */
const KEYWORD = /already|exist|duplicate|unique|member/i;

/**
 * Returns whether a message says that the user is already a member.
 *
 * @param extraPhrases the setting `wire.member.existing`
 */
export function isAlreadyMemberMessage(message: string, extraPhrases: readonly string[]): boolean {
  return isStrictlyAlreadyMember(message) || extraPhrases.some((phrase) => matchesPhrase(message, phrase));
}

/**
 * What a message says about the membership of its user:
 * - `member`: certainly a member
 * - `probably-member`: a member according to a phrase of the settings, which may be part of another statement too
 * - `open`: possibly a member
 * - `rejected`: a definite rejection
 */
export type MembershipStatement = 'member' | 'probably-member' | 'open' | 'rejected';

/**
 * Reads a message on a row. A phrase of the settings with `*` describes the entire message, so it proves a membership.
 */
export function readMembership(message: string, { existing }: MessagePhrases): MembershipStatement {
  const matches = (phrases: readonly string[]) => phrases.some((phrase) => matchesPhrase(message, phrase));
  const isMember = isAlreadyMemberMessage(message, existing);
  const isCertain = isStrictlyAlreadyMember(message) || matches(existing.filter((phrase) => phrase.includes('*')));
  if (isMember) return isCertain ? 'member' : 'probably-member';
  return message === NO_MESSAGE || mayMeanMember(message) ? 'open' : 'rejected';
}

/** Replaces the message of an error entry that has none. */
export const NO_MESSAGE = 'rejected without a message';

/** Returns whether a message states that this user is already a member of this organization, whatever the settings say. */
export function isStrictlyAlreadyMember(message: string): boolean {
  if (message.length > MAX_LENGTH || !KEYWORD.test(message)) return false;
  const statements = statementsIn(message);
  return statements.some(statesMembership) && statements.every((one) => statesMembership(one) || isHarmless(one));
}

/** Returns whether a message is not accepted, but may be the message of this service for a user who is a member. */
export function isNearlyAlreadyMember(message: string): boolean {
  if (isStrictlyAlreadyMember(message)) return false;
  const start = message.slice(0, MAX_LENGTH);
  return KEYWORD.test(start) && statementsIn(start).some((one) => SIMILAR.test(one) && !NEGATED.test(one));
}

/**
 * Returns whether a message leaves open that the user is a member: it is nearly such a statement, and does not name another
 * thing that exists already, such as an invitation or a device label.
 */
export function mayMeanMember(message: string): boolean {
  const withoutPeople = message.replaceAll(/\S+@\S+/g, '');
  return isNearlyAlreadyMember(message) && !/invit|label|device|team|group|seat|licen[cs]e/i.test(withoutPeople);
}

const SIMILAR = /\b(?:already|exists|existing|duplicate[ds]?|unique|USER (?:\w+ )?member)\b/;
const NEGATED = /(?:\bnot|\bnever|n't) (?:yet )?(?:already|exist|existing|member)\b/;

const STATES_MEMBERSHIP = new RegExp(
  `^(?:${[
    '(?:(?:member )?USER )?already member(?: of ORG| in ORG)?',
    '(?:(?:member )?USER )?member(?: of ORG| in ORG)? already',
    '(?:(?:member )?USER )?already (?:in|part of|exists in|present in|belongs? to|added to|joined) ORG',
    '(?:(?:member )?USER )?(?:in|part of|exists in|belongs? to) ORG already',
    'USER already has membership(?: of ORG| in ORG)?',
    '(?:member|membership)(?: USER| of USER| for USER)?(?: in ORG)? (?:already exists|exists already)(?: for USER| of USER| in ORG)*',
  ].join('|')})$`,
);

/** Clauses that change nothing about the statement next to them. */
const NEUTRAL = new RegExp(
  `^(?:${[
    'USER|user_?id|e-?mail',
    '(?:USER )?(?:error|conflict|bad request|validation error|validation failed|request failed)',
    "(?:USER )?(?:not|cannot|can't|could not|couldn't|did not|failed to|unable to) (?:be )?(?:add|create|import|invite)(?:e?d)?(?: USER| again| twice| to ORG| as member)*",
    '(?:skipp|ignor)(?:ed|ing)(?: USER)?',
    'no action (?:taken|needed)|nothing to do|no changes?(?: made)?',
  ].join('|')})$`,
);

/** What may limit or revoke a statement from another sentence. */
const DOUBTFUL =
  /\b(?:no|nor|not|never|cannot|if|whether|unless|may|might|but|however|another|other|different|former|formerly|inactive|deactivated|suspended|removed|deleted|pending|invit\w*|teams?|groups?|labels?|devices?|organi[sz]ations?|already|exists?|existing|duplicate)\b|n't/;

function statesMembership(statement: string): boolean {
  const clauses = clausesOf(statement);
  return (
    clauses.some((clause) => STATES_MEMBERSHIP.test(clause)) &&
    clauses.every((clause) => STATES_MEMBERSHIP.test(clause) || NEUTRAL.test(clause))
  );
}

function isHarmless(statement: string): boolean {
  return !DOUBTFUL.test(statement) || clausesOf(statement).every((clause) => NEUTRAL.test(clause));
}

/** "Cannot add a@b.c: already a member, skipping" has three. */
function clausesOf(statement: string): string[] {
  return statement.split(/: |, | [-–—] | because (?:they |he |she )?| and (?=cannot|can't|could not|was not)/);
}

/** The statements of a message, simplified: `USER already member of ORG`. */
function statementsIn(message: string): string[] {
  return textsIn(message)
    .flatMap((text) => maskPeople(text.replaceAll(/\s+/g, ' ')).split(/[.!;](?:\s|$)/))
    .map(simplify);
}

/** The texts of an error that is an object or a list, as JSON; its sentences say more than its codes. */
function textsIn(message: string): string[] {
  try {
    const found: string[] = [];
    JSON.parse(message, (_key, value: unknown) => {
      if (typeof value === 'string') found.push(value);
      return value;
    });
    const sentences = found.filter((one) => one.includes(' '));
    return sentences.length > 0 ? sentences : found;
  } catch {
    return [message];
  }
}

// An organization with a name or an id is not ORG: it may be another one.
const REWRITES: readonly (readonly [RegExp, string])[] = [
  [/\b(of|in|to|joined) (?:(?:this|the|your|our) )?(?:current )?(?:organi[sz]ation|org|company|tenant)\b/g, '$1 ORG'],
  [/\b(?:organi[sz]ation|org) (?=member)/g, ''],
  [/\b(?:existing|current) (?=member\b)/g, 'already '],
  [/\bactive (?=member)/g, ''],
  [/\bwith (?:(?:the|this|that|the same) )?(?:user ?id|id|e-?mail(?: address)?)\b/g, 'USER'],
  [/\b(?:user ?id|e-?mail(?: address)?)(?=[ =:]+[@#"])/g, 'USER'],
  [/\b(?:(?:the|this|that) )?(?:(?:given|specified|selected) )?(?:user|person|employee)\b(?!')/g, 'USER'],
  [/[@#]|(?<=\b(?:USER[ =:]+|member ))"/g, 'USER'],
  [/\(USER\)|<USER>/g, 'USER'],
  [/\bUSER(?:[ =]+USER\b)+/g, 'USER'],
  [/\b(?:is|was|are) /g, ''],
  [/\b(?:has )?already (?:been )?(?=added|joined)/g, 'already '],
  [/\b(?:an?|the|this) (?=(?:already )?(?:part|member))/g, ''],
  [/(?:\balready )+/g, 'already '],
];

/** Reduces a statement to lower case, without articles, and with `USER` and `ORG` for a person and this organization. */
function simplify(statement: string): string {
  const plain = wordsOfCode(statement.trim()).toLowerCase();
  return REWRITES.reduce((text, [from, to]) => text.replaceAll(from, to), plain);
}

/** `ALREADY_MEMBER` and `alreadyMember` as "already member". */
function wordsOfCode(text: string): string {
  if (!/^[A-Za-z_-]+$/.test(text)) return text;
  const apart = text.replaceAll(/([a-z])([A-Z])/g, '$1 $2').replaceAll(/[_-]/g, ' ');
  return apart.replace(/^err(?:or)? /i, '');
}

const EMAIL = /(?<![^\s<>"'`“”‘’(),;:=])[^\s<>"'`“”‘’(),;:=]+@[^\s<>"'`“”‘’(),;:=]*[^\s<>"'`“”‘’(),;:=.!]/g;
const ENTRY = /\bmembers?(?:\.|\/|\[)\d{1,7}\]?(?:[./]user_?id)?(?![\w./[])/gi;
const TOKEN = /[\w-]+(?:\.[\w-]+)*/g;
const QUOTED = /(?<=^|[\s(:=])["'`“‘][^"'`“”‘’]*["'`”’](?=$|[\s).,:;!])/g;
/** "User jdoe is", "The user Ada Lovelace is" and "Ada Lovelace is". */
const NAME =
  /^((?:(?:[Tt]he |[Tt]his )?(?:[Uu]ser|[Mm]ember|[Pp]erson|[Ee]mployee) [\p{L}\p{M}'’-]+|\p{Lu}[\p{L}\p{M}'’-]*(?= \p{Lu}))(?: \p{Lu}[\p{L}\p{M}'’-]*){0,3})(?= (?:[(<][@#][>)] )?(?:is|was) (?:already|an?) )/u;

/** What turns a name or an id into that of something else, or into no name at all. */
const NO_PERSON =
  /(?:^|[\s_.-])(?:(?:company|department|device|division|domain|group|invit|label|organi[sz]|project|team|tenant|workspace)[a-z]*|already|an?|all|another|any|both|child|dept|each|else|every|former|formerly|grp|guest|he|if|inv|it|key|my|neither|never|nobody|no|none|nor|not|one|org|other|parent|previously|role|service|she|some|somebody|someone|sub|task|that|they|unit|unless|which|who|whether|you|your)(?![a-z])/i; // words-ok

/** Replaces e-mail addresses by `@`, ids and names of people by `#`, other quoted text by `"`: their contents are ignored. */
export function maskPeople(text: string): string {
  const isId = (token: string) => /\d|^usr_/.test(token) && !NO_PERSON.test(token);
  return text
    .replaceAll(EMAIL, '@')
    .replaceAll(ENTRY, '#')
    .replaceAll(TOKEN, (token) => (isId(token) ? '#' : token))
    .replaceAll(QUOTED, (quoted) => (/^.[@#].$/.test(quoted) ? quoted.slice(1, 2) : '"'))
    .replace(NAME, (name) => (NO_PERSON.test(name) ? name : '#'));
}

/** Phrases of a service's messages, from the settings. */
interface MessagePhrases {
  /** For a user who is already a member. */
  readonly existing: readonly string[];
}

/** What the settings say about a service that the interface leaves open (interface 4.2). */
export interface ServiceConventions extends MessagePhrases {
  /** The number of the first entry in `errors[].index`. */
  readonly errorIndexBase: IndexBase | undefined;
}

/**
 * Returns whether a message matches a phrase of the settings, ignoring case. A phrase may be anywhere in the message. One
 * with `*`, which matches any text, has to match the entire message.
 */
export function matchesPhrase(message: string, phrase: string): boolean {
  if (phrase === '') return false;
  const text = message.replaceAll(/\s+/g, ' ').trim().toLowerCase();
  const [first = '', ...others] = phrase.toLowerCase().split('*');
  const last = others.pop();
  if (last === undefined) return text.includes(first);
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const part of others) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.slice(at).endsWith(last);
}
