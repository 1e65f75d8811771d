import { gzipSync } from 'node:zlib';
import { BAD_RESPONSES, badResponse, UNUSABLE_SUCCESSES } from '../helpers/bad-responses.ts';
import type { RawReply, Reply } from '../helpers/scripted-service.ts';

/*
 * Invalid inputs and responses, one line each: the command, its input or the response, the exit code, and a part of its
 * message. `role`, `people`, `domain` and `findings` are names of valid command lines.
 */

export const ROLE = ['role', 'update', 'rol_1', '--name', 'Auditor'];
export const PEOPLE = ['people', 'bulk-add', '-'];
export const DOMAIN = ['domain', 'status', 'trust.acme.test'];
export const FINDINGS = ['findings', 'list', '--task', 'tsk_1'];
export const LIST = 'userId,role\nusr_1,member\nusr_2,member\n';

const COMMANDS = { role: ROLE, people: PEOPLE, domain: DOMAIN, findings: FINDINGS };
type Operation = keyof typeof COMMANDS;

export interface FailureCase {
  name: string;
  argv: readonly string[];
  stdin: string | Buffer;
  /** The response to every request; undefined if there must be no request. */
  response: Reply | RawReply | undefined;
  code: number;
  /** A part of the output. */
  expectedMessage: RegExp;
}

const input = (
  argv: readonly string[],
  code: number,
  expectedMessage: RegExp,
  stdin: string | Buffer = LIST,
): FailureCase => {
  const given = argv.includes('-') ? ` < ${JSON.stringify(stdin.toString('latin1')).slice(0, 60)}` : '';
  return { name: `${argv.join(' ')}${given}`, argv, stdin, response: undefined, code, expectedMessage };
};
const list = (stdin: string | Buffer, expectedMessage: RegExp, ...flags: string[]) =>
  input([...PEOPLE, ...flags], 2, expectedMessage, stdin);
const respondWith = (
  operation: Operation,
  name: string,
  reply: Reply | RawReply,
  code: number,
  expectedMessage: RegExp,
): FailureCase => ({
  name: `${operation}: ${name}`,
  argv: COMMANDS[operation],
  stdin: LIST,
  response: reply,
  code,
  expectedMessage,
});
const json = (status: number, message: unknown, headers = {}): Reply => ({
  status,
  headers,
  body: { statusCode: status, message },
});
const truncated = (status: string, body: string): RawReply => ({
  raw: `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: 9999\r\n\r\n${body}`,
  after: 'end',
});
/** The expectation of a message for the entire output. */
const anywhere = (message: string | RegExp) =>
  new RegExp(
    typeof message === 'string'
      ? message.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
      : message.source.replace(/^\^|\$$/g, ''),
  );
const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
/** Decompresses to 300 MB: gzip allows several members. */
const bomb = Buffer.concat(Array<Buffer>(300).fill(gzipSync(Buffer.alloc(1024 * 1024, ' '))));
const members = (created: unknown, errors: unknown, more = {}): Reply => ({ body: { created, errors, ...more } });

export const INPUTS: readonly FailureCase[] = [
  // Words of the command line.
  input([...FINDINGS, '--ca-cert', '/nowhere/ca.pem'], 2, /cannot read \/nowhere\/ca\.pem: no such file or directory/),
  input([...FINDINGS, '--base-url', 'https://me:secret@api.acme.test'], 2, /user name or password/),
  input(['role', 'update', '..', '--name', 'Auditor'], 2, /\.\./),
  input([...DOMAIN, '--check-dns', '--resolver', 'ns.test:port'], 2, /--resolver/),

  // Lists.
  list('', /empty/),
  list('usr_1,member\nusr_2,member\n', /userId[\s\S]*header|column/),
  list('role\nmember\n', /no column for userId/),
  list('userId,rol\nusr_1,member\n', /"rol" \(did you mean role\?\)/),
  list('userId,role\n,member\n', /userId is missing/),
  list('userId,role,isActive\nusr_1,a,maybe\n', /"maybe" is not a boolean/),
  list('userId,role,deviceMgmtLabelId\nusr_1,a,9007199254740993\n', /not an integer/),
  list('userId,role\n"usr_1,a\n', /quote/),
  list(Buffer.from('userId,role\nusr_\xff,a\n', 'latin1'), /byte|UTF-8/),
  list(Buffer.from('PK\u0003\u0004rest of a workbook', 'latin1'), /workbook|xlsx/i),
  list('userId,role\nusr\u0007_1,a\n', /not a visible character/),
  list('[{"userId":"usr_1"}]', /no key for role/),
  list('[{"userId":"usr_1","role":"a"', /line 1/),
  list('{"crew":[{}]}', /cannot find the list in the JSON[\s\S]*--records crew/),
  list('{"userId":"usr_1","role":"a"}\nnot json\n', /line 2/),
];

const UNKNOWN = /2 unknown/;
const UNSENT = /2 unsent/;
const LIMITED_FOR_AN_HOUR = json(429, 'Slow down', { 'retry-after': '3600' });

/** An import with one of the responses that every command reports as an error. */
const people = (name: string, code: number, expectedMessage: RegExp) =>
  respondWith('people', name, badResponse(name).reply, code, expectedMessage);

export const RESPONSES: readonly FailureCase[] = [
  ...BAD_RESPONSES.map(({ name, reply, exit, message }) => respondWith('role', name, reply, exit, anywhere(message))),

  // Rejections.
  people('a message about a field', 3, /name must be longer[\s\S]*2 failed/),
  people('an expired key', 4, UNSENT),
  people('a 403 that names no permission', 4, UNSENT),
  people('an unknown role', 5, UNSENT),
  people('a body that is too large', 3, /2 failed/),
  respondWith(
    'role',
    'a message of megabytes',
    { status: 400, body: { message: 'x'.repeat(3_000_000) } },
    1,
    /400[\s\S]{0,4000}$/,
  ),
  respondWith(
    'role',
    'a message with escape sequences',
    json(400, '\u001b]52;c;aGk=\u0007\u202egnp\u001b[2J'),
    1,
    /gnp/,
  ),

  // Rate limits and failures that last.
  respondWith('role', 'a rate limit for an hour', LIMITED_FOR_AN_HOUR, 6, /3600 s/),
  respondWith('people', 'a rate limit for an hour', LIMITED_FOR_AN_HOUR, 6, UNSENT),
  people('a rate limit with a time', 6, UNSENT),
  respondWith(
    'findings',
    'a rate limit with a date in the past',
    json(429, 'no', { 'retry-after': 'Mon, 01 Jan 2001 00:00:00 GMT' }),
    6,
    /429/,
  ),
  respondWith('findings', 'a rate limit with an invalid time', json(429, 'no', { 'retry-after': 'soon' }), 6, /429/),
  people('a 500', 3, UNKNOWN),
  people('a 503', 3, UNKNOWN),
  people('a redirect to a login page', 1, UNKNOWN),
  people('a reset', 3, UNKNOWN),
  people('a truncated body', 3, UNKNOWN),

  // Responses with unusable content.
  respondWith('role', 'a page with 200', UNUSABLE_SUCCESSES.page, 1, /not.*JSON/),
  respondWith('people', 'a page with 200', UNUSABLE_SUCCESSES.page, 3, UNKNOWN),
  respondWith('findings', 'a page with 200', UNUSABLE_SUCCESSES.page, 1, /"<html><title>Sign" is not JSON/),
  respondWith('role', '200 of nothing', { status: 200 }, 0, /✓ updated role \w+; the service did not return it/),
  respondWith('people', '200 of nothing', { status: 200 }, 3, UNKNOWN),
  respondWith('domain', '204', { status: 204 }, 1, /204|empty/),
  respondWith('people', '202', { status: 202, body: { accepted: true } }, 3, UNKNOWN),
  respondWith(
    'domain',
    'JSON of another shape',
    { body: { hello: 'world' } },
    1,
    /verified: expected boolean, but it is missing/,
  ),
  respondWith('domain', 'an array', { body: [] }, 1, /expected object, received array/),
  respondWith(
    'domain',
    'verified as text',
    { body: { domain: 'trust.acme.test', verified: 'yes' } },
    1,
    /verified: expected boolean, received string/,
  ),
  respondWith('role', 'JSON of another shape', { body: [1, 2] }, 1, /may have been updated/),
  respondWith('findings', 'a number', { body: '7' }, 1, /understood|list/),
  respondWith('findings', 'an object without a list', { body: { total: 0 } }, 1, /list/),
  respondWith('people', 'an array', { body: [] }, 3, UNKNOWN),
  respondWith('people', 'lists of nonsense', members(7, 'x'), 3, UNKNOWN),
  respondWith('people', 'rows of nonsense', members([1, null, 'x'], [[], 2]), 3, UNKNOWN),
  respondWith(
    'people',
    'every row in both lists',
    members(
      [{ userId: 'usr_1' }, { userId: 'usr_2' }],
      [
        { userId: 'usr_1', error: 'no' },
        { userId: 'usr_2', error: 'no' },
      ],
    ),
    3,
    UNKNOWN,
  ),
  respondWith('people', 'other people', members([{ userId: 'usr_8' }, { userId: 'usr_9' }], []), 3, UNKNOWN),
  respondWith('people', 'empty lists', members([], []), 3, UNKNOWN),
  respondWith('people', 'errors without a user', members([], [{ error: 'no' }, { error: 'no' }]), 3, UNKNOWN),

  // Bytes that are not a response.
  respondWith('findings', 'a truncated list', truncated('200 OK', '[{"id":"a"},'), 6, /lost before/),
  respondWith(
    'domain',
    'a bomb of 300 MB',
    { headers: { 'content-encoding': 'gzip' }, body: bomb },
    1,
    /larger than|too large|MB/,
  ),
  respondWith('domain', 'nesting 100,000 deep', { body: deep }, 1, /it has more than 64 levels/),
  respondWith('findings', 'nesting 100,000 deep', { body: `[${deep}]` }, 1, /more than 64 levels/),
  respondWith('findings', 'garbage after the list', { body: '[] trailing' }, 1, /JSON|list/),
  respondWith(
    'findings',
    'a malformed element',
    { body: '[{"id":"a"},{"id":]' },
    1,
    /line 1: the finding that starts here is not valid JSON/,
  ),
  respondWith(
    'domain',
    'bytes that are not UTF-8',
    { body: Buffer.from('{"domain":"\xff"}', 'latin1') },
    1,
    /UTF-8|understood|verified/,
  ),
];
