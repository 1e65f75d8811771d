import { Argument, type Command } from 'commander';
import type { Context } from '../../cli/context.ts';
import type { ErrorResponse } from '../../client/service-error.ts';
import { UsageError } from '../../util/errors.ts';
import { collectValues } from '../option-parsers.ts';
import { type ApiOptions, buildApiRequest } from './api-request.ts';

/** The usual ones, for help and completion; others are taken too. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

const HELP = `
The path is below the base URL. A full URL is accepted if it is below the base
URL too; any other is rejected, because the key would be sent there. Fields are the query of a GET or HEAD, and of a request with --input;
of any other they are the members of its JSON body: a[b]=1 is {"a":{"b":1}},
a[]=1 adds to a list. An answer of an error status is printed too, and the exit
code tells it.

Examples:
  $ orgadm api GET v1/findings -f taskId=tsk_0001 --sandbox
  $ orgadm api GET "v1/findings?scope=people" --jq '.[0].id' --sandbox
  $ orgadm api GET v1/findings -f scope=people --include --sandbox
  $ orgadm api GET v1/findings -f scope=people -o csv --sandbox
  $ orgadm api PATCH v1/roles/rol_custom_1 -f name='Lead Auditor' \\
      -F 'obligations[compliance]=true' --idempotent --sandbox
  $ echo '{"members":[{"userId":"usr_0040","role":"member"}]}' |
      orgadm api POST v1/people/bulk --input - --sandbox

Output: the response's body. Piped, it is as it came; on a terminal JSON is
indented and other text cleaned. With -o csv or -o table on the command line, an
array of objects is printed as rows, a column for each field.
`;

/** Registers `api` under the program. */
export function registerApi(program: Command, context: () => Context, run = runApi): void {
  const method = new Argument('<method>', 'the request method');
  method.argChoices = METHODS;
  program
    .command('api')
    .description('Make any other request, with the same key, deadlines and retries.')
    .addArgument(method)
    .argument('<path>', 'path below the base URL, with a query if it has one')
    .option('-f, --raw-field <name=value>', 'a field whose value is text (repeatable)', collectValues)
    .option(
      '-F, --field <name=value>',
      'a field: true, false, null and whole numbers are typed, @file reads a file (repeatable)',
      collectValues,
    )
    .option('--input <file>', 'the body; - for standard input')
    .option('--idempotent', 'to repeat it does no harm: retry it as a GET is retried')
    .option('-i, --include', "print the answer's status and headers too")
    .addHelpText('after', HELP)
    .action((method: string, path: string, options: ApiOptions) => run(method, path, options, context()));
}

/** Sends the request and prints the answer's body, of an error status too. Throws what the status means. */
export async function runApi(method: string, path: string, options: ApiOptions, context: Context): Promise<void> {
  const { output, flags } = context;
  if (options.include && (flags.jq !== undefined || output.format === 'json' || output.format === 'ndjson')) {
    throw new UsageError('--include and JSON output exclude each other', 'Headers are no JSON.');
  }
  const { printRows, rowFormat } = await import('./print-rows.ts');
  const rows = rowFormat(flags);
  if (options.include && rows !== undefined) throw new UsageError(`--include and -o ${rows} exclude each other`);
  const { ServiceError } = await import('../../client/service-error.ts');
  const { printResponseBody, renderResponseHead } = await import('./print-response.ts');
  const request = await buildApiRequest(method, path, options, context);
  const client = await context.service();
  try {
    const response = await client.stream(request);
    if (options.include) await output.write(renderResponseHead(response.status, response.headers));
    await (rows === undefined ? printResponseBody(response, context) : printRows(response, rows, context));
  } catch (error) {
    if (error instanceof ServiceError && error.response !== undefined && flags.jq === undefined) {
      if (options.include) await output.write(renderResponseHead(error.status ?? 0, error.response.headers));
      await printResponseBody(readResponseBody(error.response), context);
    }
    throw error;
  }
}

function readResponseBody({ headers, text }: ErrorResponse) {
  const [contentType] = [headers['content-type'] ?? []].flat();
  async function* chunks() {
    yield Buffer.from(text);
  }
  return { contentType, chunks: chunks() };
}
