import { errorIndex, type Member, type MemberError, memberUserId } from '../../../client/bulk-response.ts';
import { isJsonObject } from '../../../util/json/json-object.ts';
import type { IndexBase } from '../../journal/records.ts';

/** The base of the indexes that the errors of a run prove; `mixed` if they contradict each other. */
export type ProvenBase = IndexBase | 'mixed' | undefined;

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
  readonly base: ProvenBase;
  /** Number of errors that orgadm cannot match. */
  readonly lost: number;
  readonly inconsistencies: readonly string[];
}

/**
 * Matches the errors of a response to the members of its request: by userId first, and by index only if they name no user.
 *
 * @param positions by the userId of each member of the request
 * @param members the created members that the response lists, by position
 * @param base what the errors of earlier responses of this run prove
 * @param configured the index base of the settings
 */
export function matchErrors(
  listed: readonly MemberError[],
  positions: ReadonlyMap<string, number>,
  members: readonly (Member | undefined)[],
  base: ProvenBase,
  configured: IndexBase | undefined,
): MatchedErrors {
  const messages: Messages = [];
  const inconsistencies: string[] = [];
  const unnamed: MemberError[] = [];
  for (const error of listed) {
    const userId = memberUserId(error);
    const at = userId === undefined ? undefined : positions.get(userId);
    // A service may name the user in another way than the request, such as by email address.
    if (at === undefined) unnamed.push(error);
    else {
      addMessage(messages, at, messageOf(error));
      base = combine(base, inferIndexBase(error, at));
    }
  }
  if (base !== undefined && configured !== undefined && base !== configured)
    inconsistencies.push(
      `errors[].index counts from ${base}, although the setting wire.member.errorIndexBase is ${configured}`,
    );
  const { lost, ...attributed } = attributeByIndex(unnamed, base ?? configured, positions.size, members, messages);
  if (lost > 0) inconsistencies.push(`orgadm cannot match ${lost} of the errors in the response to a row`);
  // A setting proves nothing: it must not be recorded as what the service was found to do.
  return { messages, base: configured === undefined ? attributed.base : base, lost, inconsistencies };
}

function combine(known: ProvenBase, inferred: IndexBase | undefined): ProvenBase {
  if (inferred === undefined) return known;
  return known === undefined || known === inferred ? inferred : 'mixed';
}

/** An error that names its user and its index proves the base. */
function inferIndexBase(error: MemberError, at: number): IndexBase | undefined {
  const index = errorIndex(error);
  if (index === at) return 0;
  return index === at + 1 ? 1 : undefined;
}

/**
 * Attributes errors that name no user of the request by their index. A known base counts if every such error then points at a row of the request,
 * also one that the response lists as created. Otherwise, a base is accepted only if every such error points at a row that the
 * response does not otherwise mention, and only if the other base does not fit as well. The only error of a request with one
 * member is about that member.
 */
function attributeByIndex(
  errors: readonly MemberError[],
  known: ProvenBase,
  size: number,
  members: readonly (Member | undefined)[],
  messages: Messages,
): { base: ProvenBase; lost: number } {
  const mayBe = (at: number) => at >= 0 && at < size && messages[at] === undefined;
  const isOpen = (at: number) => mayBe(at) && (known !== undefined || members[at] === undefined);
  const [only, ...others] = errors;
  if (size === 1 && only !== undefined && others.length === 0 && mayBe(0)) {
    addMessage(messages, 0, messageOf(only));
    return { base: known, lost: 0 };
  }
  if (known === 'mixed') return { base: known, lost: errors.length };
  const bases: readonly IndexBase[] = known === undefined ? [0, 1] : [known];
  const fitting = bases
    .map((base) => ({
      base,
      found: errors.map((error) => ({ at: (errorIndex(error) ?? Number.NaN) - base, message: messageOf(error) })),
    }))
    .filter(({ found }) => found.every(({ at }) => isOpen(at)));

  // Both fit only if the response leaves other rows out: then the index may refer to two rows.
  const [fit, ...otherFits] = fitting;
  if (fit === undefined || otherFits.length > 0) return { base: known, lost: errors.length };
  for (const { at, message } of fit.found) addMessage(messages, at, message);
  return { base: fit.base, lost: 0 };
}

/** Returns the text of an error, which may be an object with a message or a code. */
function messageOf({ error, message }: MemberError): string {
  const value = error ?? message;
  const texts = isJsonObject(value) ? [value.message, value.code] : Array.isArray(value) ? value : [value];
  const text = texts.find((one) => typeof one === 'string' && one.trim() !== '');
  if (typeof text === 'string') return text;
  return value == null || value === '' ? NO_MESSAGE : JSON.stringify(value);
}
