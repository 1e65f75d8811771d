import { EXIT } from '../util/errors.ts';
import { type ListedFinding, parseFinding, RawFinding } from './finding.ts';
import { JsonArrayStream } from './json/json-array-stream.ts';
import { JsonStructureError } from './json/json-structure-error.ts';
import { MAX_JSON_DEPTH } from './json/parse-json.ts';
import { CanonicalObjects } from './json/printed-objects.ts';
import { detectPagination } from './paging.ts';
import type { ServiceClient, StreamedResponse } from './service-client.ts';
import { ServiceError } from './service-error.ts';
import { skipEmptyBody } from './skip-empty-body.ts';

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
