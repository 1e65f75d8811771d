import { Argument } from 'commander';
import { headerOf, isJsonType } from '../../client/headers.ts';
import type { RequestSpec, ServiceClient, ServiceResponse } from '../../client/service.ts';
import type { ErrorResponse } from '../../client/service-error.ts';
import { renderJson } from '../../output/json.ts';
import { escapeJson } from '../../output/sanitize.ts';
import { EXIT, OrgadmError, UsageError } from '../../util/errors.ts';
import { inputName, readInputFile } from '../../util/files.ts';
import { parseJson } from '../../util/json/parse-json.ts';
import type { Context } from '../command-context.ts';
import { collectValues, RepeatableOption } from '../define-command.ts';
import type { HelpText, OrgadmCommand } from '../orgadm-command.ts';
import { reportInterruption } from '../report-interruption.ts';

/** The methods that orgadm sends. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

const HELP: HelpText = {
  examples: [
    'orgadm api GET v1/findings -f taskId=tsk_0001 --sandbox',
    'orgadm api GET "v1/findings?scope=people" --jq \'.[0].id\' --sandbox',
    "orgadm api GET v1/findings -f scope=people -r --jq '.[] | [.id, .status] | @csv' --sandbox",
    "orgadm api PATCH v1/roles/rol_custom_1 -f name='Lead Auditor' --sandbox",
    'echo \'{"members":[{"userId":"usr_0040","role":"member"}]}\' | orgadm api POST v1/people/bulk --input - --sandbox',
  ],
  notes: [
    'orgadm appends the path to the base URL.',
    'With GET, HEAD, or --input, fields become the query. With any other request, they become the JSON body. ' +
      'For nested values, numbers, and booleans, use --input. orgadm retries only GET and HEAD. ' +
      'It prints the response even if its status is an error, and sets the exit code. ' +
      'orgadm rejects the path of a DELETE that has an empty segment, in case a shell variable is unset.',
    'Output: the body of the response, unchanged if piped. ' +
      'On a terminal, orgadm indents JSON and sanitizes other text. --jq selects and converts fields, and exits 1 if the response to a GET is empty.',
  ],
};

/** Registers `api` under the program. */
export default function registerApi(command: OrgadmCommand, context: () => Context): void {
  command.helpText = HELP;
  const method = new Argument('<method>', 'the request method');
  method.argChoices = METHODS;
  command
    .description('Send any other request with the same key, timeouts, and retries.')
    .addArgument(method)
    .argument('<path>', 'path below the base URL, with any query')
    .addOption(new RepeatableOption('-f, --field <name=value>', 'a field with a text as its value', collectValues))
    .option('--input <file>', 'the body; - for standard input')
    .action((method: string, path: string, options: ApiOptions) => runApi(method, path, options, context()));
}

/** Sends the request and prints the response's body, also for an error status. Throws the error of the status. */
async function runApi(method: string, path: string, options: ApiOptions, context: Context): Promise<void> {
  const { flags } = context;
  // A format of the environment is for other commands.
  if (flags.output !== undefined && flags.output !== 'json') {
    throw new UsageError(
      `api cannot be used with --output ${flags.output}`,
      "orgadm prints the response as it is. To select or convert fields, use --jq: -r --jq '.[] | [.id, .status] | @csv'",
    );
  }
  const { ServiceError } = await import('../../client/service-error.ts');
  const request = await buildApiRequest(method, path, options, context);
  const client = await context.service();
  try {
    const response = await sendInterruptibly(client, request, context);
    if (flags.jq !== undefined && READ_METHODS.test(request.method) && response.text.trim() === '')
      throw emptyDocument(response.status);
    await printResponseBody({ contentType: headerOf(response.headers, 'content-type'), body: response.bytes }, context);
    if (isCutOff(response)) throw cutOff(response);
  } catch (error) {
    if (error instanceof ServiceError && error.response !== undefined && flags.jq === undefined)
      await printResponseBody(responseBody(error.response), context);
    throw error;
  }
}

/** Sends the request. A signal ends the process, and the user learns that the service may have a request that changes something. */
function sendInterruptibly(client: ServiceClient, request: RequestSpec, context: Context): Promise<ServiceResponse> {
  if (READ_METHODS.test(request.method)) return client.request(request);
  const clause = 'the service may have processed the request';
  const stopListening = reportInterruption(clause, 'Check the current state before you try again.', context);
  return client.request(request).finally(stopListening);
}

/** Returns the error of a filter without a document: jq would print nothing, like one that found nothing. */
function emptyDocument(status: number): OrgadmError {
  return new OrgadmError('jq-failed', EXIT.failure, `--jq: the response (${status}) is empty`, {
    hint: 'Check the path. A HEAD request never has a document.',
  });
}

/** Whether JSON ends too early in a response without a length: such a response ends with its connection, for whatever reason. */
function isCutOff({ headers, text }: ServiceResponse): boolean {
  const hasLength = ['content-length', 'transfer-encoding'].some((name) => headerOf(headers, name) !== undefined);
  return (
    !hasLength && isJsonType(headerOf(headers, 'content-type')) && text.trim() !== '' && jsonIn(text) === undefined
  );
}

function cutOff({ status, requestId }: ServiceResponse): OrgadmError {
  return new OrgadmError('interrupted', EXIT.unreachable, 'the connection ended before the end of the response', {
    hint: 'Try again later.',
    status,
    requestId,
  });
}

function responseBody({ headers, text }: ErrorResponse): ApiResponseBody {
  return { contentType: headerOf(headers, 'content-type'), body: Buffer.from(text) };
}

interface ApiOptions {
  field?: string[];
  input?: string;
}

const READ_METHODS = /^(GET|HEAD)$/;

/**
 * Builds the request. Fields are the query of a GET or HEAD, and of a request with --input; of any other request they are the
 * members of its JSON body.
 *
 * @throws UsageError for fields and files that cannot be read
 */
async function buildApiRequest(
  written: string,
  path: string,
  options: ApiOptions,
  context: Context,
): Promise<RequestSpec> {
  const method = written.toUpperCase();
  const isRead = READ_METHODS.test(method);
  if (!METHODS.includes(method))
    throw new UsageError(`${JSON.stringify(written)} is not a request method`, `Use one of ${METHODS.join(', ')}.`);
  if (method === 'DELETE') rejectEmptyPart(path);
  if (isRead && options.input !== undefined) throw new UsageError(`--input: a ${method} has no body`);
  const fields = (options.field ?? []).map(parseField);
  const body = options.input === undefined ? undefined : await readInput(options.input, context);
  const inQuery = isRead || body !== undefined;
  return {
    method,
    path: { raw: path, query: inQuery ? fields : [] },
    ...(body === undefined ? {} : { rawBody: body }),
    ...(inQuery || fields.length === 0 ? {} : { body: objectOf(fields) }),
    accept: 'application/json, */*;q=0.5',
    isRepeatable: isRead,
  };
}

/** Rejects the path of a DELETE that an empty variable has shortened: v1/people/ may name everyone. */
function rejectEmptyPart(path: string): void {
  const [resource = ''] = path.replace(/^\//, '').split('?');
  if (!/(?:^|\/)(?:\/|$)/.test(resource) || path.endsWith('/?')) return;
  throw new UsageError(
    `a part of the path is empty: ${path}`,
    'If it is a shell variable, check that it is set. If the service needs the slash at the end, write /? there.',
  );
}

async function readInput(file: string, { host, flags }: Context): Promise<Buffer> {
  if (file === '-' && flags.keyFile === '-') {
    throw new UsageError('orgadm can read only one value from standard input');
  }
  const body = await readInputFile(file, host.stdin, {
    option: '--input',
    maxBytes: Number.POSITIVE_INFINITY,
    terminalHint: 'Pipe the data in, or pass a file.',
  });
  if (body.length > 0) return body;
  throw new UsageError(
    `--input: ${inputName(file)} is empty`,
    'If another command should have printed the body, that command failed. To send no body, omit --input.',
  );
}

interface ApiResponseBody {
  contentType: string | undefined;
  body: Buffer;
}

/**
 * Prints a body: unchanged if piped or filtered (except that control characters in JSON are escaped); on a terminal JSON is
 * indented and other text sanitized.
 */
async function printResponseBody({ contentType, body }: ApiResponseBody, { output, flags }: Context): Promise<void> {
  const isJson = isJsonType(contentType);
  const isIndented = output.isTerminal && flags.jq === undefined;
  if (!isJson && !isIndented) return output.writeRendered(body);
  const text = new TextDecoder().decode(body);
  if (isIndented) {
    if (text.trim() === '') return;
    const value = isJson ? jsonIn(text) : undefined;
    return output.print({ code: (value === undefined ? text : renderJson(value)).trimEnd().split(/\r?\n/) });
  }
  if (text !== '') await output.writeRendered(escapeJson(text.endsWith('\n') ? text : `${text}\n`));
}

/** Returns the value of a JSON text; undefined if it is not valid. */
function jsonIn(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** A field `name=value`. */
type RequestField = [name: string, value: string];

/** Parses `-f name=value`. Throws UsageError without a name. */
function parseField(text: string): RequestField {
  const at = text.indexOf('=');
  if (at < 1) throw new UsageError(`"${text}" is not of the form <name>=<value>`, 'For example: -f scope=people');
  return [text.slice(0, at), text.slice(at + 1)];
}

/**
 * Returns the fields as the members of a JSON object.
 *
 * @throws UsageError for names that appear twice, and for names with brackets, which other programs read as nested values
 */
function objectOf(fields: readonly RequestField[]): Record<string, string> {
  const members = new Map<string, string>();
  for (const [name, value] of fields) {
    if (/[[\]]/.test(name)) {
      throw new UsageError(`"${name}" cannot be a field of the body`, 'To send nested values, use --input.');
    }
    if (members.has(name)) {
      throw new UsageError(`the field "${name}" appears more than once`, 'To send a list, use --input.');
    }
    members.set(name, value);
  }
  return Object.fromEntries(members);
}
