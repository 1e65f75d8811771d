import { gzipSync } from 'node:zlib';
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
const html = (status: number, body: string): Reply => ({ status, headers: { 'content-type': 'text/html' }, body });
const raw = (text: string, after: RawReply['after'] = 'end'): RawReply => ({ raw: text, after });
const cut = (status: string, body: string): RawReply =>
  raw(`HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: 9999\r\n\r\n${body}`);
const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
/** Decompresses to 300 MB: gzip allows several members. */
const bomb = Buffer.concat(Array<Buffer>(300).fill(gzipSync(Buffer.alloc(1024 * 1024, ' '))));
const members = (created: unknown, errors: unknown, more = {}): Reply => ({ body: { created, errors, ...more } });

export const INPUTS: readonly FailureCase[] = [
  // Words of the command line.
  input([], 0, /USAGE\n {2}orgadm <command>/),
  input(['peopel', 'bulk-add'], 2, /unknown command 'peopel'[\s\S]*people/),
  input(['people', 'bulkadd', 'x'], 2, /unknown command 'bulkadd'[\s\S]*bulk-add/),
  input(['people', 'bulk-add'], 2, /missing required argument 'file'/),
  input([...PEOPLE, '--bach-size', '5'], 2, /unknown option '--bach-size'[\s\S]*--batch-size/),
  input([...FINDINGS, '--all'], 2, /--task.*--all/),
  input(['findings', 'list'], 2, /--task.*--all/),
  input(['findings', 'list', '--evidence-form-type', 'nonsense'], 2, /nonsense[\s\S]*access-request/),
  input(['findings', 'list', '--scope', 'planet'], 2, /planet[\s\S]*people/),
  input(['findings', 'list', '--task', ''], 2, /--task/),
  input([...FINDINGS, '-o', 'yaml'], 2, /yaml[\s\S]*table, json, ndjson, csv, markdown/),
  input([...FINDINGS, '--json', '-o', 'csv'], 2, /cannot be used with/),
  input([...FINDINGS, '--jq', '.['], 2, /--jq/),
  input([...FINDINGS, '--timeout', '10abc'], 2, /"10abc" is not a duration/),
  input([...FINDINGS, '--timeout', '-1s'], 2, /-1s/),
  input([...FINDINGS, '--retries', 'many'], 2, /--retries/),
  input([...FINDINGS, '--key-file', '/nowhere/key'], 2, /cannot read \/nowhere\/key: no such file or directory/),
  input([...FINDINGS, '--ca-cert', '/nowhere/ca.pem'], 2, /cannot read \/nowhere\/ca\.pem: no such file or directory/),
  input([...FINDINGS, '--base-url', 'not a url'], 2, /--base-url is not a valid URL/),
  input([...FINDINGS, '--base-url', 'ftp://api.acme.test'], 2, /must start with https/),
  input([...FINDINGS, '--base-url', 'http://api.acme.test'], 2, /plain http.*\n.*--allow-http/),
  input([...FINDINGS, '--base-url', 'https://me:secret@api.acme.test'], 2, /user name or password/),
  input(
    [...FINDINGS, '--base-url', 'https://api.acme.test', '--sandbox'],
    2,
    /--sandbox.*--base-url|--base-url.*--sandbox/,
  ),
  input([...FINDINGS, '--profile', 'unknown'], 2, /unknown/),
  input(['role', 'update', 'rol_1'], 2, /nothing to change|--name/),
  input(['role', 'update', 'rol_1', '--name', 'Q'], 2, /2 to 50 characters \(got 1\)/),
  input(['role', 'update', 'rol_1', '--name', 'x'.repeat(51)], 2, /2 to 50 characters \(got 51\)/),
  input(['role', 'update', 'rol_1', '--permission', 'control'], 2, /control/),
  input(['role', 'update', 'rol_1', '--permission', 'control='], 2, /control/),
  input(['role', 'update', 'rol_1', '--obligation', 'signs=maybe'], 2, /is not a boolean/),
  input(['role', 'update', '..', '--name', 'Auditor'], 2, /\.\./),
  input(['role', 'update', '', '--name', 'Auditor'], 2, /<role-id> must not be empty/),
  input(['role', 'update', 'rol_1', '--from', '-'], 2, /standard input|JSON/, '{"name":'),
  input(['role', 'update', 'rol_1', '--from', '-'], 2, /title/, '{"title":"Auditor"}'),
  input(['domain', 'status', 'intranet'], 2, /single label/),
  input(['domain', 'status', 'a..b.test'], 2, /a\.\.b\.test/),
  input(['domain', 'status', 'http://[::1]/'], 2, /domain name|address/),
  input([...DOMAIN, '--interval', '5s'], 2, /--wait/),
  input([...DOMAIN, '--resolver', '10.0.0.1'], 2, /--check-dns/),
  input([...DOMAIN, '--check-dns', '--resolver', 'ns.test:port'], 2, /--resolver/),
  input([...PEOPLE, '--batch-size', '0'], 2, /--batch-size/),
  input([...PEOPLE, '--concurrency', '1.5'], 2, /--concurrency/),
  input([...PEOPLE, '--map', 'userID'], 2, /--map/),
  input([...PEOPLE, '--map', 'shoe=Shoe'], 2, /shoe/),
  input([...PEOPLE, '--default', 'userId=usr_1'], 2, /every row needs an id of its own/),
  input([...PEOPLE, '--default', 'isActive=perhaps'], 2, /not a boolean/),
  input([...PEOPLE, '--resume', '--restart'], 2, /--resume cannot be used with --restart/),
  input([...PEOPLE, '--key-file', '-'], 2, /cannot both come from standard input/),
  input(['people', 'bulk-add', '/nowhere/list.csv'], 2, /there is no file \/nowhere\/list\.csv/),
  input(['people', 'bulk-add', '/'], 2, /folder|directory/),
  input(['api', 'FETCH!', '/v1/x'], 2, /FETCH!/),
  input(['api', 'GET', 'https://elsewhere.test/'], 2, /elsewhere|path/),
  input(['config', 'set', 'wire.findings.tsak', 'x'], 2, /wire\.findings\.task/),
  input(['schema', 'nothing'], 2, /nothing/),
  input(['completion', 'tcsh'], 2, /tcsh/),

  // Lists.
  list('', /empty/),
  list('   \n\n', /empty/),
  list('usr_1,member\nusr_2,member\n', /userId[\s\S]*header|column/),
  list('role\nmember\n', /no column for userId/),
  list('userId\nusr_1\n', /no column for role[\s\S]*--default 'role/),
  list('userId,rol\nusr_1,member\n', /"rol" \(did you mean role\?\)/),
  list('userId,role\n,member\n', /userId is missing/),
  list('userId,role\nusr_1,\n', /role is missing/),
  list('userId,role\nusr_1,a\nusr_1,b\n', /duplicate userId \(first on line 2\)/),
  list('userId,role,isActive\nusr_1,a,maybe\n', /"maybe" is not a boolean/),
  list('userId,role,deviceMgmtLabelId\nusr_1,a,1.5\n', /"1\.5" is not an integer/),
  list('userId,role,deviceMgmtLabelId\nusr_1,a,9007199254740993\n', /not an integer/),
  list('userId,role\n"usr_1,a\n', /quote/),
  list('userId,role\nusr_1,a,b\n', /3 cells, but the header has 2/),
  list('userId,role,__proto__\nusr_1,a,b\n', /"__proto__" has a name that cannot be used/),
  list(Buffer.from('userId,role\nusr_\xff,a\n', 'latin1'), /byte|UTF-8/),
  list(Buffer.from('PK\u0003\u0004rest of a workbook', 'latin1'), /workbook|xlsx/i),
  list('userId,role\nusr\u0007_1,a\n', /not a visible character/),
  list('[{"userId":"usr_1"}]', /role is missing/),
  list('[{"userId":7,"role":"a"}]', /is a number \(write it in quotes\)/),
  list('[{"userId":"usr_1","role":"a"', /line 1/),
  list('{"crew":[{}]}', /no list under a usual key[\s\S]*--records crew/),
  list('[{"userId":"usr_1","role":"a","shoe":44}]', /unknown key "shoe"/),
  list('{"userId":"usr_1","role":"a"}\nnot json\n', /line 2/),
];

const UNKNOWN = /2 rows?: 2 unknown/;
const UNSENT = /2 rows?: 2 unsent/;

export const RESPONSES: readonly FailureCase[] = [
  // Rejections.
  respondWith(
    'role',
    '400',
    json(400, ['name must be longer', 'name is taken']),
    1,
    /name must be longer; name is taken/,
  ),
  respondWith(
    'people',
    '400 for every row',
    json(400, 'role must be one of a, b'),
    3,
    /2 failed[\s\S]*|role must be one of/,
  ),
  respondWith('domain', '400', json(400, 'Bad domain'), 1, /Bad domain/),
  respondWith('findings', '400', json(400, 'Unknown task'), 1, /Unknown task/),
  respondWith('role', '401', json(401, 'Invalid or expired API key'), 4, /Invalid or expired API key/),
  respondWith('people', '401', json(401, 'Invalid or expired API key'), 4, UNSENT),
  respondWith('domain', '401 without a message', { status: 401 }, 4, /401/),
  respondWith('role', '403 that names a permission', json(403, "You need 'role:update'"), 4, /role:update/),
  respondWith('people', '403', json(403, 'Forbidden resource'), 4, UNSENT),
  respondWith('findings', '403 as a page', html(403, '<h1>Forbidden by firewall</h1>'), 4, /403/),
  respondWith('role', '404', json(404, 'Role rol_1 not found'), 5, /Role rol_1 not found/),
  respondWith('people', '404', json(404, 'Cannot POST /v1/people/bulk'), 5, UNSENT),
  respondWith('domain', '404', json(404, 'Not found'), 5, /Not found/),
  respondWith('findings', '404 of a gateway', html(404, '<h1>No such app</h1>'), 5, /404/),
  respondWith('role', '405', { status: 405 }, 1, /405/),
  respondWith('role', '409', json(409, 'Role was modified'), 1, /Role was modified/),
  respondWith('people', '413 for one row too', json(413, 'Payload too large'), 3, /2 failed/),
  respondWith('role', '418', json(418, 'teapot'), 1, /teapot/),
  respondWith(
    'role',
    '422 as problem+json',
    { status: 422, body: { title: 'Invalid', detail: 'No such thing' } },
    1,
    /No such thing/,
  ),
  respondWith('role', '400 with a code only', { status: 400, body: { code: 'E_ROLE' } }, 1, /E_ROLE|400/),
  respondWith(
    'role',
    '400 with an errors object',
    { status: 400, body: { errors: { name: ['too short'] } } },
    1,
    /too short/,
  ),
  respondWith(
    'role',
    '400 with a nested error',
    { status: 400, body: { error: { message: 'inner message' } } },
    1,
    /inner message/,
  ),
  respondWith('role', '400 of an array', { status: 400, body: ['first', 'second'] }, 1, /first/),
  respondWith('role', '400 of nothing', { status: 400 }, 1, /400/),
  respondWith('role', '400 of null', { status: 400, body: 'null' }, 1, /400/),
  respondWith('role', '400 of cut JSON', { status: 400, body: '{"message":"half' }, 1, /400/),
  respondWith(
    'role',
    '400 of megabytes',
    { status: 400, body: { message: 'x'.repeat(3_000_000) } },
    1,
    /400[\s\S]{0,4000}$/,
  ),
  respondWith('role', 'escape sequences', json(400, '\u001b]52;c;aGk=\u0007\u202egnp\u001b[2J'), 1, /gnp/),

  // Rate limits and failures that last.
  respondWith('role', '429', json(429, 'Slow down', { 'retry-after': '1' }), 6, /Slow down/),
  respondWith('role', '429 for an hour', json(429, 'Slow down', { 'retry-after': '3600' }), 6, /3600 s/),
  respondWith('people', '429 for an hour', json(429, 'Slow down', { 'retry-after': '3600' }), 6, UNSENT),
  respondWith('people', '429 forever', json(429, 'Slow down', { 'retry-after': '60' }), 6, UNSENT),
  respondWith(
    'findings',
    '429 with a date in the past',
    json(429, 'no', { 'retry-after': 'Mon, 01 Jan 2001 00:00:00 GMT' }),
    6,
    /429/,
  ),
  respondWith('findings', '429 with a Retry-After of nonsense', json(429, 'no', { 'retry-after': 'soon' }), 6, /429/),
  respondWith('role', '500', json(500, 'Internal server error'), 6, /Internal server error/),
  respondWith('people', '500', json(500, 'Internal server error'), 3, UNKNOWN),
  respondWith('domain', '500', json(500, 'Internal server error'), 6, /Internal server error/),
  respondWith('findings', '502 as a page', html(502, '<title>Bad gateway</title>'), 6, /502/),
  respondWith('people', '503', json(503, 'Down for maintenance'), 3, UNKNOWN),
  respondWith('findings', '504', { status: 504 }, 6, /504/),
  respondWith('findings', '599', { status: 599, body: 'odd' }, 6, /599/),

  // Responses with unusable content.
  respondWith('role', 'a page with 200', html(200, '<title>Log in</title>'), 1, /not.*JSON|understood/),
  respondWith('people', 'a page with 200', html(200, '<title>Log in</title>'), 3, UNKNOWN),
  respondWith('domain', 'a page with 200', html(200, '<title>Log in</title>'), 1, /not.*JSON|understood/),
  respondWith('findings', 'a page with 200', html(200, '<title>Log in</title>'), 1, /expected \[ or \{, found "<"/),
  respondWith('role', '200 of nothing', { status: 200 }, 0, /updated; the service did not return the role/),
  respondWith('people', '200 of nothing', { status: 200 }, 3, UNKNOWN),
  respondWith('domain', '204', { status: 204 }, 1, /204|empty/),
  respondWith('people', '202', { status: 202, body: { accepted: true } }, 3, UNKNOWN),
  respondWith(
    'role',
    '302',
    { status: 302, headers: { location: 'https://login.acme.test/' } },
    1,
    /https:\/\/login\.acme\.test\//,
  ),
  respondWith('people', '307', { status: 307, headers: { location: 'https://login.acme.test/' } }, 1, UNKNOWN),
  respondWith('findings', '304', { status: 304 }, 1, /304/),
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
  respondWith('role', 'JSON of another shape', { body: [1, 2] }, 1, /accepted|understood/),
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
  respondWith('role', 'a reset', raw('', 'reset'), 6, /lost before|reset/),
  respondWith('people', 'a reset', raw('', 'reset'), 3, UNKNOWN),
  respondWith('domain', 'an early end', raw(''), 6, /lost before|closed/),
  respondWith('findings', 'a cut list', cut('200 OK', '[{"id":"a"},'), 6, /lost before|cut|complete/),
  respondWith('people', 'a truncated response', cut('201 Created', '{"created":[{"userId":"usr_1"}'), 3, UNKNOWN),
  respondWith('role', 'a truncated rejection', cut('400 Bad Request', '{"message":"na'), 1, /400/),
  respondWith('findings', 'another protocol', raw('SSH-2.0-OpenSSH_9.2\r\n'), 1, /HTTP/),
  respondWith('findings', 'headers without end', raw(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(200_000)}`), 1, /header/i),
  respondWith(
    'domain',
    'gzip encoding that is not gzip',
    { headers: { 'content-encoding': 'gzip' }, body: 'plain' },
    1,
    /decompress/,
  ),
  respondWith('domain', 'an unknown encoding', { headers: { 'content-encoding': 'snappy' }, body: '{}' }, 1, /snappy/),
  respondWith(
    'domain',
    'a bomb of 300 MB',
    { headers: { 'content-encoding': 'gzip' }, body: bomb },
    1,
    /larger than|too large|MB/,
  ),
  respondWith('domain', 'nesting 100,000 deep', { body: deep }, 1, /nested more than 256 levels deep/),
  respondWith('findings', 'nesting 100,000 deep', { body: `[${deep}]` }, 1, /deep/),
  respondWith('findings', 'garbage after the list', { body: '[] trailing' }, 1, /JSON|list/),
  respondWith('findings', 'a malformed element', { body: '[{"id":"a"},{"id":]' }, 1, /expected a value, found "\]"/),
  respondWith(
    'domain',
    'bytes that are not UTF-8',
    { body: Buffer.from('{"domain":"\xff"}', 'latin1') },
    1,
    /UTF-8|understood|verified/,
  ),
];
