import { extractErrorMessages } from '../client/error-messages.ts';
import { saysFailure, staleness } from '../client/gates.ts';
import type { IncomingHeaders } from '../client/headers.ts';
import type { FindingsEnvelope } from '../client/list-findings.ts';
import { cleanLine } from '../output/sanitize.ts';
import type { ScannedMember } from '../util/json/list-scanner.ts';
import { parseJson } from '../util/json/parse-json.ts';
import { describeMore } from './more-pages.ts';
import { type Doubt, doubtFields, fieldsOf, isIgnored, type UnknownField } from './unknown-fields.ts';

/** The only status of a complete list: Accepted and Partial Content are not, and others may have another meaning. */
const OK = 200;

/**
 * Doubts every response except one with status 200 and a list as `doubtBody` describes it, whose headers neither announce more nor
 * come from a cache.
 *
 * @param ignored members and their values (setting wire.findings.ignore)
 * @param profile see `profileOption`
 */
export function doubtResponse(envelope: FindingsEnvelope, ignored: readonly string[], profile: string): Doubt[] {
  const { status, headers, listed } = envelope;
  const body = doubtBody(envelope, ignored, profile);
  const reasons = [
    ...(status === OK ? [] : [`its status is ${status}`]),
    ...headersThatAnnounceMore(headers, listed),
    ...body.reasons,
  ];
  const old = staleness(headers);
  return [
    ...(reasons.length === 0
      ? []
      : [{ message: `the response may be incomplete: ${reasons.join('; ')}`, hint: body.hint }]),
    ...(old === undefined ? [] : [{ message: old, hint: STALE_HINT }]),
  ];
}

/** What to do about an old response. */
export const STALE_HINT = 'Try again later, or have the cache pass on requests to the service.';

/** Matches a link (RFC 8288) whose relations include `next`, in double, single, or no quotes. */
const NEXT_LINK = /;\s*rel\s*=\s*(?:"(?:[^"]*\s)?|'(?:[^']*\s)?)?next(?=["'\s;,]|$)/i;

/** Headers of a total, whose values must be numbers. */
const TOTAL_HEADERS = ['x-total-count', 'x-total'];

function headersThatAnnounceMore(headers: IncomingHeaders, listed: number): string[] {
  const all = Object.entries(headers).flatMap(([name, values]) =>
    [values ?? []].flat().map((value) => ({ name, value: value.trim() })),
  );
  const more = all
    .filter(({ name, value }) => announcesMore(name, value, listed))
    .map(({ name, value }) => `the header ${name} is ${excerpt(value)}, but the list has ${listed}`);
  const hasNext = all.some(({ name, value }) => name === 'link' && NEXT_LINK.test(value));
  return [...(hasNext ? ['the header link names a next page'] : []), ...more];
}

/** Whether a header announces more than a list of this length. */
function announcesMore(name: string, value: string, listed: number): boolean {
  if (value === '') return false;
  // `items 0-24/319`, where `*` is a total that the service does not know.
  if (name === 'content-range') return (value.match(/\d+/g) ?? []).some((number) => Number(number) > listed);
  if (TOTAL_HEADERS.includes(name)) return !(Number(value) <= listed);
  // Others have the names of fields, after a prefix, and their values: `X-Has-More: true`, `X-WP-TotalPages: 3`.
  const path = name.replace(/^x-/, '').replace(/^(?:wp|ms|pagination|paging)-(?=.)/, '');
  return describeMore([{ path, text: jsonOf(value), document: 1 }], { entries: listed, pages: 1 }) !== undefined;
}

/** Returns the value of a header as JSON: `{"HasNext":true}`, `true`, or `False` as such, anything else as a text. */
function jsonOf(value: string): string {
  const json = /^(?:true|false|null)$/i.test(value) ? value.toLowerCase() : value;
  try {
    parseJson(json);
    return json;
  } catch {
    return JSON.stringify(value);
  }
}

/** Members whose value is the length of the list next to them. */
const COUNTS: ReadonlySet<string> = new Set(['count', 'total', 'totalCount']);

/**
 * Doubts every body except an array of objects, or an object with one such array and, next to it, only a count that equals its
 * length, `success: true`, what is empty, and the members that are ignored.
 *
 * @returns the reasons, none for such a list, and what to do about them
 */
export function doubtBody(
  { isEmpty, members, listPath, listed }: FindingsEnvelope,
  ignored: readonly string[],
  profile: string,
): { reasons: string[]; hint: string } {
  if (isEmpty) {
    return { reasons: ['it contains no list'], hint: 'Check that the base URL is the address of the service.' };
  }
  const inList = listPath.slice(0, listPath.lastIndexOf('.') + 1);
  const unknown: UnknownField[] = [];
  const counts: string[] = [];
  const failures: string[] = [];
  for (const member of members) {
    const { path, text } = member;
    // Nobody can say which of the two lists counts, so no setting ignores it.
    if (path === listPath && path !== '') {
      counts.push(`the key ${path} of the list occurs twice`);
      continue;
    }
    const fields = fieldsIn(member).filter((field) => !isIgnored(field, ignored));
    if (fields.length === 0) continue;
    const isCount = path.startsWith(inList) && COUNTS.has(path.slice(inList.length));
    if (isCount && text === String(listed)) continue;
    if (path === 'success' && text === 'true') continue;
    if (isCount) counts.push(`${describeMember(member)}, but the list has ${listed}`);
    else if (isFailure(member)) failures.push(describeFailure(member));
    else unknown.push(...fields);
  }
  const doubt = doubtFields(unknown, {
    name: 'wire.findings.ignore',
    ignored,
    meaning: 'findings are missing',
    profile,
  });
  const reasons = [...counts, ...failures, ...(doubt === undefined ? [] : [doubt.message])];
  if (failures.length > 0) return { reasons, hint: 'Fix what the service reports, then try again.' };
  return { reasons, hint: doubt?.hint ?? PAGES };
}

const PAGES = '--debug shows the response. If the service returns pages, request fewer findings.';

/** Returns the fields of a member. Those of an object that the scanner searched for the list are members, too. */
function fieldsIn(member: ScannedMember): UnknownField[] {
  const { path, type, text, isSearched } = member;
  if (isSearched) return [];
  return text === undefined
    ? [{ path, value: undefined, isContainer: type !== 'scalar' }]
    : [...fieldsOf(path, memberValue(member))];
}

/** Returns the value of a member; undefined for a long one. */
function memberValue({ text }: ScannedMember): unknown {
  return text === undefined ? undefined : parseJson(text);
}

/** Whether a member says that the request failed, wherever it is. */
function isFailure(member: ScannedMember): boolean {
  return saysFailure({ [memberKey(member)]: member.text === undefined ? LONG : memberValue(member) });
}

const LONG = 'it is long';

function memberKey({ path }: ScannedMember): string {
  return path.slice(path.lastIndexOf('.') + 1);
}

/** Upper bound on what an error quotes of the service's own. */
const QUOTED_CHARACTERS = 500;

/** Quotes what the service says: `the service reports an error: forbidden`. */
function describeFailure(member: ScannedMember): string {
  const { text } = member;
  if (!/^errors?$/.test(memberKey(member))) return describeMember(member);
  const messages = text === undefined ? [LONG] : extractErrorMessages(`{"error":${text}}`);
  return `the service reports an error: ${excerpt(messages.join('; '), QUOTED_CHARACTERS)}`;
}

function describeMember({ path, type, text }: ScannedMember): string {
  return `${path} is ${type === 'scalar' ? excerpt(text ?? 'long') : `an ${type}`}`;
}

function excerpt(text: string, characters = 60): string {
  return cleanLine(text).slice(0, characters);
}
