import type { ZodMiniType } from 'zod/mini';
import { EXIT } from '../util/errors.ts';
import { JsonAnswerError, parseJson } from './json/parse-json.ts';
import type { Answer } from './service-client.ts';
import { ServiceError } from './service-error.ts';

/** As much of an answer as an error quotes. */
const QUOTED_CHARACTERS = 200;

export interface Expectation {
  /** What the answer should hold: "the role". */
  what: string;
  /** For a write: the sentence that says it was done all the same. */
  done?: string;
}

/**
 * Reads the JSON of a 2xx answer and holds it against the shape that the interface gives.
 *
 * @throws ServiceError of kind `not-understood` with the beginning of what came; after a write it says that the write was accepted
 */
export function understand<T>(answer: Answer, schema: ZodMiniType<T>, expected: Expectation): T {
  let value: unknown;
  try {
    value = parseJson(answer.text);
  } catch (error) {
    const why = error instanceof JsonAnswerError ? error.why : 'it cannot be read';
    throw notUnderstood(answer, expected, why);
  }
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw notUnderstood(answer, expected, wrongShape(result.error.issues[0]));
}

/** `verified: expected boolean, received string`, or what is not there at all. */
function wrongShape(issue: { path: PropertyKey[]; message: string } | undefined): string {
  if (issue === undefined) return 'its shape is wrong';
  const where = issue.path.map(String).join('.');
  const what = issue.message.replace(/^Invalid input: /, '').replace(/, received undefined$/, ', and there is none');
  return where === '' ? what : `${where}: ${what}`;
}

function notUnderstood(answer: Answer, { what, done }: Expectation, why: string): ServiceError {
  const came = answer.text.slice(0, QUOTED_CHARACTERS);
  const quoted = came === '' ? '' : ` It begins with: ${came}`;
  const hint =
    done === undefined
      ? 'Is the base URL that of the service, and no page in front of it?'
      : `${done} Do not repeat it blindly.`;
  return new ServiceError(
    'not-understood',
    EXIT.refused,
    `${done ?? ''} The answer (${answer.status}) does not hold ${what}: ${why}.${quoted}`.trim(),
    {
      kind: 'not-understood',
      processed: 'maybe',
      hint,
      status: answer.status,
      requestId: answer.requestId,
    },
  );
}
