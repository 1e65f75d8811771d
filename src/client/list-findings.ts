import { isJsonObject } from '../util/json/json-object.ts';
import { JsonScanError, ListScanner, type ScannedElement, type ScannedMember } from '../util/json/list-scanner.ts';
import { parseJson } from '../util/json/parse-json.ts';
import type { IncomingHeaders } from './headers.ts';
import type { ServiceClient, ServiceResponse } from './service.ts';
import { invalidResponse, type ServiceError } from './service-error.ts';

/** A finding; its fields are not fixed (interface 2.5). */
export type Finding = Readonly<Record<string, unknown>>;

/** A finding in the list. */
export interface ListedFinding {
  /** Its JSON as the service sent it, without the key. */
  readonly text: string;
  readonly value: Finding;
}

/** The parts of a response other than its findings. */
export interface FindingsEnvelope {
  readonly status: number;
  readonly headers: IncomingHeaders;
  /** Whether it is JSON, as far as it has arrived; an empty response is not. */
  readonly isJson: boolean;
  /** Whether it holds no JSON, or just null. */
  readonly isEmpty: boolean;
  /** The keys that lead to the list, joined with dots; empty for a bare array. */
  readonly listPath: string;
  /** The values next to the list. */
  readonly members: readonly ScannedMember[];
  /** Number of findings in the list. */
  readonly listed: number;
}

export interface FindingsResponse {
  /** The findings, in groups that arrived together. Throws ServiceError, after all findings before the error. */
  readonly groups: AsyncIterable<readonly ListedFinding[]>;
  /** Returns the rest of the response, as far as it has arrived: all of it once all groups are read. */
  envelope(): FindingsEnvelope;
}

/** Upper bound on the size of one finding, in bytes. */
const MAX_FINDING_BYTES = 16 * 1024 * 1024;

/**
 * Requests findings (interface 4.4), which are read while the response arrives: a list of any size needs no more memory than
 * its largest finding. The response may be an array, or an object with an array under a usual key; an empty or null response is
 * an empty list. A response that brings no finding for as long as the timeout ends, even if other bytes arrive. Sends the request
 * once: who reads the findings knows whether it may be repeated.
 *
 * @param selector the query parameter and its value; undefined sends none
 * @throws ServiceError
 */
export async function listFindings(
  client: ServiceClient,
  selector: { name: string; value: string } | undefined,
): Promise<FindingsResponse> {
  const response = await client.request({
    method: 'GET',
    path: ['v1', 'findings'],
    query: selector === undefined ? {} : { [selector.name]: selector.value },
    isRepeatable: true,
  });
  const readText = (bytes: Buffer) => bytes.toString();
  const scanner = new ListScanner({ maxElementBytes: MAX_FINDING_BYTES, readText });
  let listed = 0;
  let hasSyntaxError = false;
  const isNull = () => scanner.members.some(({ path, text }) => path === '' && text === 'null');

  function* readGroup(elements: Iterable<ScannedElement>): Generator<readonly ListedFinding[]> {
    const group: ListedFinding[] = [];
    try {
      for (const { bytes, line } of elements) group.push(parseElement(readText(bytes), line));
    } catch (error) {
      if (!(error instanceof JsonScanError)) throw error;
      hasSyntaxError ||= !(error instanceof NoFindingError);
      throw invalidListResponse(response, `line ${error.line}: ${error.message}`);
    } finally {
      listed += group.length;
      if (group.length > 0) yield group;
    }
  }

  async function* readGroups(): AsyncGenerator<readonly ListedFinding[]> {
    yield* readGroup(scanner.push(Buffer.from(response.text)));
    if (scanner.documents > 1) throw invalidListResponse(response, 'it continues after the end of the list');
    yield* readGroup(scanner.end());
    if (scanner.documents > 0 && scanner.listPath === undefined && !isNull())
      throw invalidListResponse(
        response,
        `it has no array under a usual key, such as findings or data${quoteMembers(scanner.members)}`,
      );
  }

  return {
    groups: readGroups(),
    envelope: () => ({
      status: response.status,
      headers: response.headers,
      isJson: scanner.documents > 0 && !hasSyntaxError,
      isEmpty: scanner.documents === 0 || isNull(),
      listPath: scanner.listPath ?? '',
      members: scanner.members,
      listed,
    }),
  };
}

/** Upper bounds on the members that an error quotes, and on the text of one. */
const [QUOTED_MEMBERS, QUOTED_CHARACTERS] = [5, 200];

/** Quotes what a response has instead of a list, because it may say why: `; it has error: "forbidden"`. */
function quoteMembers(members: readonly ScannedMember[]): string {
  const quoted = members.flatMap(({ path, type, text }) =>
    type === 'scalar' && text !== undefined ? [`${path}: ${text.slice(0, QUOTED_CHARACTERS)}`] : [],
  );
  return quoted.length === 0 ? '' : `; it has ${quoted.slice(0, QUOTED_MEMBERS).join(', ')}`;
}

/** An element of the list that is valid JSON, but no finding. */
class NoFindingError extends JsonScanError {}

function parseElement(text: string, line: number): ListedFinding {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    throw new JsonScanError('the finding that starts here is not valid JSON', line);
  }
  if (!isJsonObject(value)) throw new NoFindingError('an element of the list is not an object', line);
  return { text, value };
}

/** Returns the error of a response that is not a list of findings. */
export function invalidListResponse(
  response: Pick<ServiceResponse, 'status' | 'requestId'>,
  reason: string,
): ServiceError {
  const message = `the response (${response.status}) does not contain a list of findings: ${reason}`;
  return invalidResponse(
    response,
    message,
    'Check that the base URL is the address of the service, not of a web page.',
  );
}
