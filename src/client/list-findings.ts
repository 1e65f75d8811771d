import { EXIT } from '../util/errors.ts';
import { isJsonObject } from '../util/json-object.ts';
import { type ListedFinding, parseFinding, RawFinding } from './finding.ts';
import { headerOf } from './http/headers.ts';
import type { IncomingHeaders } from './http/pending-request.ts';
import { JsonArrayStream } from './json/json-array-stream.ts';
import { JsonStructureError } from './json/list-locator.ts';
import { MAX_JSON_DEPTH } from './json/parse-json.ts';
import { CanonicalObjects } from './json/printed-objects.ts';
import type { ServiceClient, StreamedResponse } from './service-client.ts';
import { ServiceError } from './service-error.ts';

export interface ListFindingsOptions {
  signal?: AbortSignal | undefined;
  /** Names of the members that an excerpt of a finding must have. */
  excerpt?: readonly string[];
  /** Told of what makes one doubt that these are the findings that were asked for, a sentence each, after the last of them. */
  onWarning?: (text: string) => void;
}

/** A larger finding is no finding. */
const MAX_FINDING_BYTES = 16 * 1024 * 1024;

/**
 * Lists findings (interface 4.4) as the answer comes in, each time those that a piece of it completes: a list of any size
 * needs no more memory than its largest finding. The answer may be a bare array or an object that holds one; an empty or
 * null answer is a list of none. Before an error is thrown, all findings that stand before it are given.
 *
 * @param selector the query parameter and its value; undefined asks without any
 * @throws ServiceError, also while the list is read
 */
export async function* listFindings(
  client: ServiceClient,
  selector: { name: string; value: string } | undefined,
  { signal, excerpt, onWarning }: ListFindingsOptions = {},
): AsyncGenerator<readonly ListedFinding[]> {
  const response = await client.stream({
    method: 'GET',
    path: ['v1', 'findings'],
    query: selector === undefined ? {} : { [selector.name]: selector.value },
    retry: 'safe',
    signal,
  });
  const printed = new CanonicalObjects(excerpt);
  const elements = new JsonArrayStream({
    maxElementBytes: MAX_FINDING_BYTES,
    maxDepth: MAX_JSON_DEPTH,
    fastPath: (bytes, from) => printed.end(bytes, from),
  });
  let found: ListedFinding[] = [];
  const take = (bytes: Buffer, start: number, end: number, _line: number, skimmed: boolean): void => {
    const isPrinted = skimmed || printed.end(bytes, start) === end;
    found.push(
      isPrinted
        ? new RawFinding(bytes, start, end, printed.excerpt())
        : parseFinding(bytes.toString('utf8', start, end)),
    );
  };
  let isNothing = true;
  let listed = 0;
  try {
    for await (const chunk of skipEmptyBody(response.chunks)) {
      isNothing = false;
      try {
        elements.each(chunk, take);
      } finally {
        listed += found.length;
        if (found.length > 0) yield found;
        found = [];
      }
    }
    if (isNothing) return;
    elements.end();
  } catch (error) {
    if (!(error instanceof JsonStructureError)) throw error;
    throw invalidListResponse(response, error.message);
  } finally {
    response.discard();
  }
  const { envelope } = elements;
  if (envelope.top === 'object' && envelope.arrayKey === undefined) {
    throw invalidListResponse(response, 'the object holds no list');
  }
  const more = detectPagination(envelope.members, response.headers, listed);
  if (more !== undefined) {
    onWarning?.(`this may be a part of the findings only: ${listed} are listed, and ${more}`);
  }
  if (envelope.otherLists.length > 0) {
    onWarning?.(`the findings are those under ${envelope.arrayKey}; there is a list under ${envelope.otherLists} too`);
  }
}

function invalidListResponse(response: StreamedResponse, reason: string): ServiceError {
  return new ServiceError(
    'not-understood',
    EXIT.failure,
    `The answer (${response.status}) does not hold a list of findings: ${reason}.`,
    {
      kind: 'not-understood',
      processed: 'maybe',
      hint: 'Is the base URL that of the service, and no page in front of it?',
      status: response.status,
      requestId: response.requestId,
    },
  );
}

const TOTALS = /^(total|count|total_?(count|items|elements|results|records|hits))$/i;
const MORE = /^(has_?(more|next)(_?page)?|more|is_?truncated|truncated)$/i;
const NEXT = /^next(_?(page|cursor|token|link|url|page_?token|offset))?$/i;

/**
 * Tells whether a list is only a part of what there is: the interface has no paging (8), and a service may have it all
 * the same. Looks for totals and next pages beside the list, also in objects there, and in the headers.
 *
 * @param members what stands beside the list, by dotted key
 * @param listed how many elements the list has
 * @returns what tells it, for a sentence: `total is 58`
 */
export function detectPagination(
  members: ReadonlyMap<string, unknown>,
  headers: IncomingHeaders,
  listed: number,
): string | undefined {
  for (const [path, value] of fieldsOf(members)) {
    const name = path.slice(path.lastIndexOf('.') + 1);
    if (TOTALS.test(name) && Number(value) > listed) return `${path} is ${String(value)}`;
    if (MORE.test(name) && value === true) return `${path} is true`;
    if (NEXT.test(name) && isPageLink(value)) return `${path} is given`;
  }
  const total = headerOf(headers, 'x-total-count');
  if (Number(total) > listed) return `the header X-Total-Count is ${total}`;
  return /;\s*rel="?next"?/i.test(headerOf(headers, 'link') ?? '') ? 'the header Link names a next page' : undefined;
}

/** The fields and those of the objects among them, by dotted name. */
function* fieldsOf(members: ReadonlyMap<string, unknown>): Generator<[string, unknown]> {
  for (const [key, value] of members) {
    yield [key, value];
    if (!isJsonObject(value)) continue;
    for (const [inner, field] of Object.entries(value)) yield [`${key}.${inner}`, field];
  }
}

/** A link, cursor or page number. A page number that is 0 or below is none. */
function isPageLink(value: unknown): boolean {
  if (typeof value === 'number') return value > 0;
  return (typeof value === 'string' && value !== '') || (typeof value === 'object' && value !== null);
}

/** White space before the content may be so long, in bytes; more is no answer without content. */
const HEAD_BYTES = 1024;

const BLANK = '(?:\u00ef\u00bb\u00bf)?[ \\t\\r\\n]*';
const EMPTY_BODY = new RegExp(`^${BLANK}(?:null[ \\t\\r\\n]*)?$`);
/** What nothing may begin with: the rest is still to come. */
const MAY_BECOME_EMPTY = new RegExp(`^(?:${BLANK}(?:n|nu|nul|null[ \\t\\r\\n]*)?|\u00ef\u00bb?)$`);

/** The chunks of an answer; none of one that is empty, or JSON null, a byte order mark before it or not. */
export async function* skipEmptyBody(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let head: Buffer | undefined = Buffer.alloc(0);
  for await (const chunk of chunks) {
    if (head === undefined) {
      yield chunk;
      continue;
    }
    head = Buffer.concat([head, chunk]);
    if (head.length <= HEAD_BYTES && MAY_BECOME_EMPTY.test(head.toString('latin1'))) continue;
    yield head;
    head = undefined;
  }
  if (head !== undefined && !EMPTY_BODY.test(head.toString('latin1'))) yield head;
}
