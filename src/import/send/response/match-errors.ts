import { errorIndex, type Member, type MemberError, memberUserId } from '../../../client/bulk-response.ts';
import { isJsonObject } from '../../../util/json/json-object.ts';

/** Replaces the message of an error that has none. */
const NO_MESSAGE = 'rejected without a message';

/** The different messages of the errors about each member, by position; few responses have any. */
type Messages = (string[] | undefined)[];

function addMessage(messages: Messages, at: number, message: string): void {
  const earlier = messages[at];
  if (earlier === undefined) messages[at] = [message];
  else if (!earlier.includes(message)) earlier.push(message);
}

interface MatchedErrors {
  readonly messages: Messages;
  /** Number of errors that orgadm cannot match. */
  readonly lost: number;
  readonly inconsistencies: readonly string[];
}

/**
 * Matches the errors of a response to the members of its request: by userId, and by index if none of them names a user of the
 * request, but the rows at which they point are exactly those that the response leaves out.
 *
 * @param positions by the userId of each member of the request
 * @param members the created members that the response lists, by position
 */
export function matchErrors(
  listed: readonly MemberError[],
  positions: ReadonlyMap<string, number>,
  members: readonly (Member | undefined)[],
): MatchedErrors {
  const messages: Messages = [];
  const unnamed: MemberError[] = [];
  for (const error of listed) {
    const userId = memberUserId(error);
    const at = userId === undefined ? undefined : positions.get(userId);
    // A service may name the user in another way than the request, such as by email address.
    if (at === undefined) unnamed.push(error);
    else addMessage(messages, at, messageOf(error));
  }
  const places = Array.from(positions.values());
  const left = places.filter((at) => members[at] === undefined && messages[at] === undefined);
  const matched = placesOf(unnamed, left, places.length);
  for (const [error, at] of matched) addMessage(messages, at, messageOf(error));
  const lost = unnamed.length - matched.size;
  return {
    messages,
    lost,
    inconsistencies: lost > 0 ? [`orgadm cannot match ${lost} of the errors in the response to a row`] : [],
  };
}

/**
 * Returns the positions of errors that name no user of the request: all of them, or none. The index counts from 0 or from 1
 * (interface 4.2 does not say), of which one fits at most. The only error of a request with one member is about that member.
 *
 * @param left the rows that the response leaves out
 * @param size members of the request
 */
function placesOf(errors: readonly MemberError[], left: readonly number[], size: number): Map<MemberError, number> {
  const [only, ...others] = errors;
  if (size === 1 && left.length === 1 && only !== undefined && others.length === 0) return new Map([[only, 0]]);
  const wanted = new Set(left);
  for (const base of [0, 1]) {
    const places = errors.map((error) => [error, (errorIndex(error) ?? Number.NaN) - base] as const);
    const found = new Set(places.map(([, at]) => at));
    if (found.size === wanted.size && left.every((at) => found.has(at))) return new Map(places);
  }
  return new Map();
}

/** Returns the text of an error, which may be an object with a message or a code. */
function messageOf({ error, message }: MemberError): string {
  const value = error ?? message;
  const texts = isJsonObject(value) ? [value.message, value.code] : Array.isArray(value) ? value : [value];
  const text = texts.find((one) => typeof one === 'string' && one.trim() !== '');
  if (typeof text === 'string') return text;
  return value == null || value === '' ? NO_MESSAGE : JSON.stringify(value);
}
