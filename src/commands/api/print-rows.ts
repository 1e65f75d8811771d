import { DEFAULT_MAX_BYTES, readText } from '../../client/http/response-body.ts';
import { parseJson } from '../../client/parse-json.ts';
import { flatten, renderCell } from '../../output/cell-text.ts';
import { EXIT, OrgadmError } from '../../util/errors.ts';
import { isJsonObject } from '../../util/json-object.ts';
import type { Context } from '../command-context.ts';
import { type ApiResponseBody, printResponseBody } from './print-response.ts';

/** The output format that was asked for on the command line, where the body is printed as rows under it. */
export function rowFormat({ output }: Context['flags']): 'csv' | 'table' | undefined {
  return output === 'csv' || output === 'table' ? output : undefined;
}

/**
 * Prints a JSON array of objects as rows: a column for each field, nested ones under dotted names.
 *
 * @throws OrgadmError for any other body, which is printed as it came: it may be all that is known of a change
 */
export async function printRows(
  { contentType, chunks }: ApiResponseBody,
  format: 'csv' | 'table',
  context: Context,
): Promise<void> {
  const text = await readText(chunks, DEFAULT_MAX_BYTES);
  if (text === '') return;
  const objects = arrayOfObjects(text);
  if (objects !== undefined) return printObjects(objects, format, context);
  await printResponseBody({ contentType, chunks: once(text) }, context);
  throw new OrgadmError('invalid-response', EXIT.failure, `-o ${format} needs an array of objects in the response`, {
    hint: `The request succeeded and its response is printed as it came. Leave out -o ${format} for such a response.`,
  });
}

async function printObjects(objects: readonly object[], format: 'csv' | 'table', { output }: Context): Promise<void> {
  if (objects.length === 0) return output.note('the response is an empty array');
  const rows = objects.map(flatten);
  const names = [...new Set(rows.flatMap((row) => [...row.keys()]))];
  if (names.length === 0) return output.note('the response has no fields to show');
  if (format === 'table') {
    return output.table(
      names.map((header) => ({ header, wrap: true })),
      rows.map((row) => names.map((name) => renderCell(row.get(name)))),
    );
  }
  await output.csvRows([names, ...rows.map((row) => names.map((name) => row.get(name)))]);
}

function arrayOfObjects(text: string): object[] | undefined {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    return undefined;
  }
  return Array.isArray(value) && value.every(isJsonObject) ? value : undefined;
}

async function* once(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
}
