import { type EntryError, indexOf, type Member, userOf } from '../../service/bulk-rows.ts';
import type { BulkAnswer } from '../../service/contract.ts';
import type { IndexBase } from '../journal/records.ts';

/** What an answer tells about one entry of its request. */
export type EntryOutcome =
  | { kind: 'created'; member: Member }
  | { kind: 'error'; words: string }
  /** In neither list, in both, or in an error that cannot be attributed. */
  | { kind: 'unclear'; why: string };

export interface Account {
  /** One outcome an entry, in the order of the request. */
  outcomes: EntryOutcome[];
  /** The base that this answer proves, or that was known before. */
  base: IndexBase | undefined;
  /** What cannot be right in the answer, one sentence each. */
  contradictions: string[];
}

/**
 * Attributes an answer of the bulk operation (interface 4.2) to the entries of its request: by userId first, by index
 * only for errors that name no user of the request. Order is not relied on, nor completeness, nor the summary.
 *
 * @param userIds those of the request, in its order, each once
 * @param base the index base that earlier answers of this run proved
 */
export function account(userIds: readonly string[], answer: BulkAnswer, base: IndexBase | undefined): Account {
  const positionOf = positions(userIds);
  const created: (Member | undefined)[] = [];
  const words: Words = [];
  const contradictions: string[] = [];

  let foreign = 0;
  let nameless = 0;
  let distinct = 0;
  for (const [place, member] of (answer.created ?? []).entries()) {
    const userId = userOf(member);
    if (userId === undefined) nameless++;
    const at = positionOf(userId, place);
    if (at === undefined) foreign++;
    else if (created[at] === undefined) {
      created[at] = member;
      distinct++;
    }
  }
  if (foreign > 0)
    contradictions.push(
      `the answer lists ${foreign} created ${foreign === 1 ? 'member' : 'members'} that this request did not name`,
    );

  const unnamed: EntryError[] = [];
  let strangers = 0;
  for (const error of answer.errors ?? []) {
    const at = positionOf(userOf(error), indexOf(error) ?? 0);
    if (at === undefined && userOf(error) === undefined) unnamed.push(error);
    else if (at === undefined) strangers++;
    else {
      say(words, at, wordsOf(error));
      base = base ?? provenBy(error, at);
    }
  }

  const settled = attribute(unnamed, base, userIds.length, created, words);
  base = settled.base;
  const lost = settled.lost + strangers;
  if (lost > 0) contradictions.push(`${lost} of the answer's errors cannot be attributed to a row`);
  contradictions.push(...summaryContradictions(answer, userIds.length, distinct + foreign));

  // Members that name nobody are of rows that are not mentioned: where there are too few of these, some error is wrong.
  const unmentioned = () => userIds.filter((_, at) => created[at] === undefined && words[at] === undefined).length;
  const isDoubtful = nameless > 0 && nameless > unmentioned();

  const outcomes = userIds.map((_, at): EntryOutcome => {
    const member = created[at];
    const said = words[at];
    if (member !== undefined && said !== undefined) {
      return { kind: 'unclear', why: `the answer lists it as created and as failed: ${said.join('; ')}` };
    }
    if (member !== undefined) return { kind: 'created', member };
    if (said !== undefined && isDoubtful) {
      return { kind: 'unclear', why: `it may be among the created members that name nobody: ${said.join('; ')}` };
    }
    if (said !== undefined) return { kind: 'error', words: said.join('; ') };
    return { kind: 'unclear', why: 'the answer does not mention it' };
  });
  return { outcomes, base, contradictions };
}

/** What the answer says of each entry; few answers say anything. */
type Words = (string[] | undefined)[];

function say(words: Words, at: number, what: string): void {
  const said = words[at];
  if (said === undefined) words[at] = [what];
  else said.push(what);
}

/**
 * Finds a user's place in the request. Most answers keep its order: looking at `guess` first is several times faster than
 * a map of all, which is made only when it is needed.
 */
function positions(userIds: readonly string[]): (userId: string | undefined, guess: number) => number | undefined {
  let map: Map<string, number> | undefined;
  return (userId, guess) => {
    if (userId === undefined) return undefined;
    if (userIds[guess] === userId) return guess;
    map ??= new Map(userIds.map((id, at) => [id, at]));
    return map.get(userId);
  };
}

/** An error that names its user and its index proves the base. */
function provenBy(error: EntryError, at: number): IndexBase | undefined {
  const index = indexOf(error);
  if (index === at) return 0;
  return index === at + 1 ? 1 : undefined;
}

/**
 * Attributes errors without a userId by their index. A base is accepted only if every such error then points at a row
 * of the request that the answer does not otherwise mention, and only if the other base does not fit as well.
 */
function attribute(
  errors: readonly EntryError[],
  known: IndexBase | undefined,
  size: number,
  created: readonly (Member | undefined)[],
  words: Words,
): { base: IndexBase | undefined; lost: number } {
  if (errors.length === 0) return { base: known, lost: 0 };
  const open = (at: number) => at >= 0 && at < size && created[at] === undefined && words[at] === undefined;
  const bases: readonly IndexBase[] = known === undefined ? [0, 1] : [known];
  const fitting = bases.filter((base) => errors.every((error) => open((indexOf(error) ?? -1) - base)));

  // Both fit only where the answer also leaves other rows out: then nothing tells which one is meant.
  const base = fitting.length === 1 ? fitting[0] : undefined;
  if (base === undefined) return { base: known, lost: errors.length };
  for (const error of errors) {
    const at = (indexOf(error) ?? -1) - base;
    say(words, at, wordsOf(error));
  }
  return { base, lost: 0 };
}

function wordsOf({ error, message }: EntryError): string {
  const words = error ?? message;
  if (typeof words === 'string' && words.trim() !== '') return words;
  return words == null || words === '' ? 'refused without words' : JSON.stringify(words);
}

function summaryContradictions(answer: BulkAnswer, sent: number, created: number): string[] {
  const { summary, errors } = answer;
  if (summary == null) return [];
  const found: string[] = [];
  const check = (name: string, said: number | null | undefined, counted: number, what: string) => {
    if (said != null && said !== counted) found.push(`summary.${name} is ${said}, but ${what} ${counted}`);
  };
  check('total', summary.total, sent, 'the entries sent were');
  check('successful', summary.successful, created, 'the created entries are');
  check('failed', summary.failed, errors?.length ?? 0, 'the errors are');
  return found;
}
