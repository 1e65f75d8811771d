import { EXIT } from '../util/errors.ts';
import { type ListedFinding, PrintedFinding, parsedFinding } from './finding.ts';
import { JsonElements } from './json/json-array-stream.ts';
import { JsonStructureError } from './json/json-structure-error.ts';
import { MAX_JSON_DEPTH } from './json/parse-json.ts';
import { PrintedObjects } from './json/printed-objects.ts';
import { signOfMore } from './paging.ts';
import type { ServiceClient, StreamedAnswer } from './service-client.ts';
import { ServiceError } from './service-error.ts';
import { unlessNothing } from './skip-empty-body.ts';

export interface FindingsOptions {
  signal?: AbortSignal | undefined;
  /** Names of the members that an excerpt of a finding must have. */
  excerpt?: readonly string[];
  /** Told of what makes one doubt that these are the findings that were asked for, a sentence each, after the last of them. */
  onDoubt?: (text: string) => void;
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
  { signal, excerpt, onDoubt }: FindingsOptions = {},
): AsyncGenerator<readonly ListedFinding[]> {
  const answer = await client.stream({
    method: 'GET',
    path: ['v1', 'findings'],
    query: selector === undefined ? {} : { [selector.name]: selector.value },
    retry: 'safe',
    signal,
  });
  const printed = new PrintedObjects(excerpt);
  const elements = new JsonElements({
    maxElementBytes: MAX_FINDING_BYTES,
    maxDepth: MAX_JSON_DEPTH,
    skim: (bytes, from) => printed.end(bytes, from),
  });
  let found: ListedFinding[] = [];
  const take = (bytes: Buffer, start: number, end: number, _line: number, skimmed: boolean): void => {
    const isPrinted = skimmed || printed.end(bytes, start) === end;
    found.push(
      isPrinted
        ? new PrintedFinding(bytes, start, end, printed.excerpt())
        : parsedFinding(bytes.toString('utf8', start, end)),
    );
  };
  let isNothing = true;
  let listed = 0;
  try {
    for await (const chunk of unlessNothing(answer.chunks)) {
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
    throw notUnderstood(answer, error.message);
  } finally {
    answer.discard();
  }
  const { envelope } = elements;
  if (envelope.top === 'object' && envelope.arrayKey === undefined) {
    throw notUnderstood(answer, 'the object holds no list');
  }
  const more = signOfMore(envelope.members, answer.headers, listed);
  if (more !== undefined) {
    onDoubt?.(`this may be a part of the findings only: ${listed} are listed, and ${more}`);
  }
  if (envelope.otherLists.length > 0) {
    onDoubt?.(`the findings are those under ${envelope.arrayKey}; there is a list under ${envelope.otherLists} too`);
  }
}

function notUnderstood(answer: StreamedAnswer, why: string): ServiceError {
  return new ServiceError(
    'not-understood',
    EXIT.refused,
    `The answer (${answer.status}) does not hold a list of findings: ${why}.`,
    {
      kind: 'not-understood',
      processed: 'maybe',
      hint: 'Is the base URL that of the service, and no page in front of it?',
      status: answer.status,
      requestId: answer.requestId,
    },
  );
}
