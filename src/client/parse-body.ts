import { parseJson } from '../util/json/parse-json.ts';
import type { ServiceResponse } from './service.ts';
import { invalidResponse, type ServiceError } from './service-error.ts';

export interface ExpectedResponse {
  /** What the message says about another response: "does not contain the role". */
  readonly mismatch: string;
  /** For a write: a clause that says what may have happened. */
  readonly doneMessage?: string;
}

/** Parses the JSON of a 2xx response. Throws ServiceError (`invalid-response`) with its start for anything else. */
export function parseBody(response: ServiceResponse, expected: ExpectedResponse): unknown {
  try {
    return parseJson(response.text);
  } catch (error) {
    const reason = error instanceof RangeError ? error.message : 'it is not valid JSON';
    throw unusableResponse(response, expected, response.text.trim() === '' ? 'it is empty' : reason);
  }
}

/** Upper bound on the part of a response that an error quotes. */
const QUOTED_CHARACTERS = 200;

/** Returns the error of a 2xx response that does not have what it must. */
export function unusableResponse(
  response: ServiceResponse,
  { mismatch, doneMessage }: ExpectedResponse,
  reason: string,
): ServiceError {
  const start = response.redact(response.text).slice(0, QUOTED_CHARACTERS);
  const quoted = start === '' ? '' : `; it starts with: ${start}`;
  const outcome = doneMessage === undefined ? '' : `${doneMessage}, but `;
  const hint =
    doneMessage === undefined
      ? 'Check that the base URL is the address of the service, not of a web page.'
      : 'Check the current state before you try again.';
  return invalidResponse(response, `${outcome}the response (${response.status}) ${mismatch}: ${reason}${quoted}`, hint);
}
