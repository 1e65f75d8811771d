import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import type { Context } from '../../cli/context.ts';
import type { RequestSpec } from '../../client/service-client.ts';
import { UsageError } from '../../util/errors.ts';
import { describeFsError } from '../../util/fs-error.ts';
import { objectOf, queryOf, type RequestField, rawField, typedField } from './request-fields.ts';

export interface ApiOptions {
  rawField?: string[];
  field?: string[];
  input?: string;
  idempotent?: boolean;
  include?: boolean;
}

const READ_METHODS = /^(GET|HEAD|OPTIONS)$/;

/**
 * The request that the words ask for. Fields are the query of a GET or HEAD, and of a request whose body is --input;
 * of any other they are the members of its JSON body.
 *
 * @throws UsageError for fields and files that cannot be read
 */
export async function buildApiRequest(
  written: string,
  path: string,
  options: ApiOptions,
  context: Context,
): Promise<RequestSpec> {
  const method = written.toUpperCase();
  const isRead = READ_METHODS.test(method);
  if (isRead && options.input !== undefined) throw new UsageError(`--input: a ${method} has no body`);
  checkStandardInput(options, context);
  const fields: RequestField[] = (options.rawField ?? []).map(rawField);
  for (const text of options.field ?? []) {
    fields.push(await typedField(text, async (file) => (await readInput(file, '--field', context)).toString()));
  }
  const body = options.input === undefined ? undefined : await readInput(options.input, '--input', context);
  const inQuery = isRead || body !== undefined;
  return {
    method,
    path: { raw: path, query: inQuery ? queryOf(fields) : [] },
    ...(body === undefined ? {} : { rawBody: body }),
    ...(inQuery || fields.length === 0 ? {} : { body: objectOf(fields) }),
    accept: 'application/json, */*;q=0.5',
    retry: isRead || options.idempotent ? 'safe' : 'none',
  };
}

/** Standard input can be read once. */
function checkStandardInput({ input, field }: ApiOptions, { flags }: Context): void {
  const readers = [input === '-', flags.keyFile === '-', ...(field ?? []).map((text) => /^[^=]+=@-$/.test(text))];
  if (readers.filter(Boolean).length > 1) throw new UsageError('only one thing can come from standard input');
}

async function readInput(file: string, flag: string, { host }: Context): Promise<Buffer> {
  if (file === '-' && host.stdin.isTTY) {
    throw new UsageError(`${flag} -: standard input is a terminal`, 'Pipe it in, or name a file.');
  }
  try {
    return await (file === '-' ? buffer(host.stdin) : readFile(file));
  } catch (error) {
    const name = file === '-' ? 'standard input' : file;
    throw new UsageError(`${flag}: cannot read ${name}: ${describeFsError(error)}`);
  }
}
