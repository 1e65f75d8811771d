import { Argument, type Command } from 'commander';
import type { RequestSpec } from '../../client/service-client.ts';
import type { ErrorResponse } from '../../client/service-error.ts';
import { UsageError } from '../../util/errors.ts';
import { readInputFile } from '../../util/read-file.ts';
import type { Context } from '../command-context.ts';
import { collectValues } from '../option-parsers.ts';

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
export function registerApi(command: Command, context: () => Context): void {
  const method = new Argument('<method>', 'the request method');
  method.argChoices = METHODS;
  command
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
    .action((method: string, path: string, options: ApiOptions) => runApi(method, path, options, context()));
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

/** A field as it was given: `name=value`. */
type RequestField = readonly [name: string, value: unknown];

/** Reads `-f name=value`: the value is text. Throws UsageError without a name. */
export function rawField(text: string): readonly [name: string, value: string] {
  const at = text.indexOf('=');
  if (at < 1) throw new UsageError(`"${text}" is not of the form name=value`);
  return [text.slice(0, at), text.slice(at + 1)];
}

/**
 * Reads `-F name=value`: true, false, null and whole numbers are what they look like, `@file` is the text of a file.
 *
 * @param readKeyText reads the file; `-` is standard input
 */
export async function typedField(text: string, readText: (file: string) => Promise<string>): Promise<RequestField> {
  const [name, value] = rawField(text);
  if (value.startsWith('@')) return [name, await readText(value.slice(1))];
  if (/^(true|false|null)$/.test(value)) return [name, JSON.parse(value)];
  const isNumber = /^(0|-?[1-9]\d*)$/.test(value) && Number.isSafeInteger(Number(value));
  return [name, isNumber ? Number(value) : value];
}

/** The fields as pairs of a query; null is blank. */
export function queryOf(fields: readonly RequestField[]): [name: string, value: string][] {
  return fields.map(([name, value]) => [name, value === null ? '' : String(value)]);
}

type Tree = Map<string, unknown>;

/**
 * The fields as the object that a request carries: `a[b]=1` is `{"a":{"b":1}}`, `a[]=1` adds to a list.
 *
 * @throws UsageError for names that contradict each other, and for deeper lists
 */
export function objectOf(fields: readonly RequestField[]): Record<string, unknown> {
  const root: Tree = new Map();
  for (const [name, value] of fields) put(root, name, value);
  return plain(root);
}

function put(root: Tree, name: string, value: unknown): void {
  const [, first, inner = ''] = /^([^[\]]+)((?:\[[^[\]]+\])*(?:\[\])?)$/.exec(name) ?? [];
  if (first === undefined) {
    throw new UsageError(`"${name}" is not the name of a field`, 'Write a, a[b] or a[]; give the rest with --input.');
  }
  const keys = [first, ...inner.split(/[[\]]+/).filter(Boolean)];
  const last = keys.pop() ?? '';
  const parent = keys.reduce((tree, key) => child(tree, key, name), root);
  if (inner.endsWith('[]')) {
    const list = parent.get(last) ?? [];
    if (!Array.isArray(list)) throw conflictingFields(name);
    parent.set(last, [...list, value]);
  } else {
    if (parent.has(last)) throw conflictingFields(name);
    parent.set(last, value);
  }
}

function child(tree: Tree, key: string, name: string): Tree {
  const there = tree.get(key) ?? new Map<string, unknown>();
  if (!(there instanceof Map)) throw conflictingFields(name);
  tree.set(key, there);
  return there;
}

function conflictingFields(name: string): UsageError {
  return new UsageError(`the field "${name}" contradicts one before it`);
}

function plain(tree: Tree): Record<string, unknown> {
  return Object.fromEntries([...tree].map(([key, value]) => [key, value instanceof Map ? plain(value) : value]));
}

interface ApiOptions {
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
async function buildApiRequest(
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

function readInput(file: string, option: string, { host }: Context): Promise<Buffer> {
  return readInputFile(file, host.stdin, {
    option,
    maxBytes: Number.POSITIVE_INFINITY,
    terminalHint: 'Pipe it in, or name a file.',
  });
}
