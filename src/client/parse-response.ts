import type { ZodMiniType } from 'zod/mini';
import { EXIT } from '../util/errors.ts';
import { JsonParseError, parseJson } from './json/parse-json.ts';
import type { ServiceResponse } from './service-client.ts';
import { ServiceError } from './service-error.ts';

/** Upper bound on the part of a response that an error quotes. */
const QUOTED_CHARACTERS = 200;

export interface ExpectedResponse {
  /** What the response should contain: "the role". */
  subject: string;
  /** For a write: a clause that says that it succeeded. */
  doneMessage?: string;
}

/**
 * Parses the JSON of a 2xx response and validates it against its schema.
 *
 * @throws ServiceError of kind `invalid-response`, with the start of the response
 */
export function parseResponse<T>(response: ServiceResponse, schema: ZodMiniType<T>, expected: ExpectedResponse): T {
  let value: unknown;
  try {
    value = parseJson(response.text);
  } catch (error) {
    const reason = error instanceof JsonParseError ? error.reason : 'it cannot be read';
    throw invalidResponse(response, expected, reason);
  }
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw invalidResponse(response, expected, describeShapeIssue(result.error.issues[0]));
}

/** Describes an issue: `verified: expected boolean, received string`. */
function describeShapeIssue(issue: { path: PropertyKey[]; message: string } | undefined): string {
  if (issue === undefined) return 'its shape is wrong';
  const where = issue.path.map(String).join('.');
  const problem = issue.message.replace(/^Invalid input: /, '').replace(/, received undefined$/, ', but it is missing');
  return where === '' ? problem : `${where}: ${problem}`;
}

function invalidResponse(
  response: ServiceResponse,
  { subject, doneMessage }: ExpectedResponse,
  reason: string,
): ServiceError {
  const start = response.text.slice(0, QUOTED_CHARACTERS);
  const quoted = start === '' ? '' : `; it starts with: ${start}`;
  const outcome = doneMessage === undefined ? '' : `${doneMessage}, but `;
  const hint =
    doneMessage === undefined
      ? 'Check that the base URL is that of the service and not of a web page.'
      : 'Check the current state before you repeat it.';
  return new ServiceError(
    'invalid-response',
    EXIT.failure,
    `${outcome}the response (${response.status}) does not contain ${subject}: ${reason}${quoted}`,
    {
      kind: 'invalid-response',
      processed: 'maybe',
      hint,
      status: response.status,
      requestId: response.requestId,
    },
  );
}
