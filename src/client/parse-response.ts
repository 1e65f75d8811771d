import type { ZodMiniType } from 'zod/mini';
import { EXIT } from '../util/errors.ts';
import { JsonParseError, parseJson } from './parse-json.ts';
import type { ServiceResponse } from './service-client.ts';
import { ServiceError } from './service-error.ts';

/** As much of an answer as an error quotes. */
const QUOTED_CHARACTERS = 200;

export interface ExpectedResponse {
  /** What the answer should hold: "the role". */
  subject: string;
  /** For a write: the sentence that says it was done all the same. */
  doneMessage?: string;
}

/**
 * Reads the JSON of a 2xx answer and holds it against the shape that the interface gives.
 *
 * @throws ServiceError of kind `invalid-response` with the beginning of what came; after a write it says that the write was accepted
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

/** `verified: expected boolean, received string`, or what is not there at all. */
function describeShapeIssue(issue: { path: PropertyKey[]; message: string } | undefined): string {
  if (issue === undefined) return 'its shape is wrong';
  const where = issue.path.map(String).join('.');
  const problem = issue.message.replace(/^Invalid input: /, '').replace(/, received undefined$/, ', and there is none');
  return where === '' ? problem : `${where}: ${problem}`;
}

function invalidResponse(
  response: ServiceResponse,
  { subject, doneMessage }: ExpectedResponse,
  reason: string,
): ServiceError {
  const came = response.text.slice(0, QUOTED_CHARACTERS);
  const quoted = came === '' ? '' : ` It begins with: ${came}`;
  const hint =
    doneMessage === undefined
      ? 'Is the base URL that of the service, and no page in front of it?'
      : `${doneMessage} Do not repeat it blindly.`;
  return new ServiceError(
    'invalid-response',
    EXIT.failure,
    `${doneMessage ?? ''} The answer (${response.status}) does not hold ${subject}: ${reason}.${quoted}`.trim(),
    {
      kind: 'invalid-response',
      processed: 'maybe',
      hint,
      status: response.status,
      requestId: response.requestId,
    },
  );
}
