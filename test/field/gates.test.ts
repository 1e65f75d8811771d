import { describe, expect, it } from 'vitest';
import type { RawReply, Reply } from '../helpers/scripted-service.ts';
import { createCommandRunner } from '../helpers/service-run.ts';

/*
 * Situations in which checks of this kind let people down: a gate passed that should not have, or an error led nowhere. Each
 * has the source of its class in general words, and what a person types and sees.
 */

const cli = createCommandRunner();

interface Situation {
  /** Where it comes from. */
  source: string;
  /** The words after the program's name. */
  argv: readonly string[];
  /** The response of the service; undefined if orgadm must send nothing. */
  reply?: Reply | RawReply;
  /** Settings of the profile: names and values. */
  settings?: readonly (readonly string[])[];
  code: number;
  /** Parts of what orgadm prints on standard error. */
  says: readonly string[];
}

/** Runs a situation, and checks the exit code, the messages, and that nothing was sent unless a response is given. */
async function expectSituation({ argv, reply, settings = [], code, says }: Situation) {
  const { service, run } = await cli.scripted(() => reply ?? { status: 599 });
  for (const setting of settings) expect((await cli.plain(['config', 'set', ...setting])).code).toBe(0);
  const result = await run(argv);
  for (const part of says) expect(result.stderr).toContain(part);
  expect(result.code, result.stderr).toBe(code);
  if (reply === undefined) expect(service.requests).toEqual([]);
}

const GATE = ['findings', 'list', '--all', '--exit-status'];
const JSON_TYPE = { 'content-type': 'application/json' };

describe('an identifier that a script has damaged is rejected before anything is sent', () => {
  const task = (id: string) => ['findings', 'list', '--task', id, '--exit-status'];
  // biome-ignore format: a table
  it.each<Omit<Situation, 'code'>>([
    { source: 'an evidence submission', argv: ['findings', 'list', '--evidence-submission', 'sub_1\r', '--exit-status'], says: ['--evidence-submission must not contain U+000D'] },
    { source: 'a form type', argv: ['findings', 'list', '--evidence-form-type', 'rbac-matrix\r', '--exit-status'], says: ['--evidence-form-type must not contain U+000D'] },
    { source: 'a scope', argv: ['findings', 'list', '--scope', 'people\r', '--exit-status'], says: ['--scope must not contain U+000D'] },
    { source: 'jq, which prints null for a value that a document does not have', argv: task('null'), says: ['--task must not be null\n', 'Programs such as jq print this'] },
    { source: 'a script in JavaScript', argv: task('undefined'), says: ['--task must not be undefined\n'] },
    { source: 'a script in Python', argv: task('None'), says: ['--task must not be None\n'] },
    { source: 'a domain in single quotes', argv: ['domain', 'status', '$DOMAIN', '--exit-status'], says: ['the domain must not contain "$"'] },
    { source: 'a role in single quotes', argv: ['role', 'update', '$ROLE', '--name', 'QA', '--yes'], says: ['the role ID must not contain "$"'] },
    { source: 'two domains as one', argv: ['domain', 'status', 'a.acme.test,b.acme.test', '--exit-status'], says: ['the domain must not contain ","'] },
    { source: 'a role that another command did not find', argv: ['role', 'update', 'null', '--name', 'QA', '--yes'], says: ['the role ID must not be null'] },
    { source: 'two permissions as one', argv: ['role', 'update', 'rol_1', '--permission', 'control=read,risk=read', '--yes'], says: ['--permission: "control" must be actions', '"risk=read"'] },
    { source: 'actions with a space between them', argv: ['role', 'update', 'rol_1', '--permission', 'control=read update', '--yes'], says: ['--permission: "control" must be actions', '"read update"'] },
    { source: 'a role', argv: ['role', 'update', 'rol_1\r', '--name', 'QA', '--yes'], says: ['the role ID must not contain U+000D'] },
    { source: 'a role of a dry run', argv: ['role', 'update', "'rol_1'", '--name', 'QA', '--dry-run'], says: ['the role ID must not contain "\'"'] },
    { source: 'the name of a role', argv: ['role', 'update', 'rol_1', '--name', 'QA\r', '--yes'], says: ['--name', '(got QA<U+000D>)\n'] },
    { source: 'a permission', argv: ['role', 'update', 'rol_1', '--permission', 'cont\u200brol=read', '--yes'], says: ['--permission', '(got cont<U+200B>rol)\n'] },
    { source: 'an obligation, which responses do not show', argv: ['role', 'update', 'rol_1', '--obligation', 'compli\u00adance=true', '--yes'], says: ['--obligation', '(got compli<U+00AD>ance)\n'] },
    { source: 'a run to show', argv: ['runs', 'show', '3f9a2c0d\r'], says: ['the run ID must not contain U+000D'] },
    { source: 'a run to resume', argv: ['runs', 'resume', '3f9a2c0d\u200b'], says: ['the run ID must not contain U+200B'] },
    { source: 'a domain', argv: ['domain', 'status', 'trust.acme.test\r', '--exit-status'], says: ['the domain must not contain U+000D'] },
    { source: 'the second of two domains', argv: ['domain', 'status', 'a.acme.test', 'trust\u200b.acme.test', '--exit-status'], says: ['the domain must not contain U+200B'] },
  ])('$source', (situation) => expectSituation({ ...situation, code: 2 }));

  // Line ends, spaces, quotation marks, and the syntax of shells, templates, and lists are among them.
  it.each([...' !"#$%&\'()*,;<>?[\\]^`{}\r\n\t\u00a0\u00ad\u200b\ufeff“”'])('the character %j', async (character) => {
    for (const id of [`${character}tsk_1`, `tsk${character}1`, `tsk_1${character}`])
      await expectSituation({ source: '', argv: task(id), code: 2, says: ['--task must not contain '] });
  });
});

describe('a gate does not pass by a finding that orgadm does not understand', () => {
  const SEVERE = { id: 'f1', status: 'open', severity: 'critical' };
  const low = (fields: object) => ({ body: [{ ...SEVERE, ...fields }] });
  // biome-ignore format: a table
  it.each<Situation>([
    { source: 'a tracker that reopens findings', argv: [...GATE, '--status', 'open'], reply: low({ status: 'reopened' }), code: 7, says: ['warning: --status: kept 1 finding without a known status: "reopened"\n', '1 finding remains (exit 7)\n'] },
    { source: 'a scanner with numbers as severities, and a minimum', argv: [...GATE, '--min-severity', 'high'], reply: low({ severity: '9.8' }), code: 7, says: ['--min-severity: kept 1 finding without a known severity: "9.8"\n'] },
    { source: 'an unknown status, and a severity that a filter drops for certain', argv: [...GATE, '--status', 'open', '--min-severity', 'high'], reply: low({ status: 'reopened', severity: 'low' }), code: 0, says: ['0 of 1 findings match'] },
    { source: 'a status that orgadm knows and that no filter names', argv: [...GATE, '--status', 'open'], reply: low({ status: 'Closed' }), code: 0, says: ['0 of 1 findings match'] },
    { source: 'a misspelled status of a check that has found nothing so far', argv: [...GATE, '--status', 'opne'], reply: { body: [] }, code: 2, says: ['--status: no finding has "opne"', 'Known: "open", '] },
  ])('$source', expectSituation);

  it('without --exit-status, filters drop what they do not name', async () => {
    const { run } = await cli.scripted(() => low({ status: 'reopened' }));
    expect(await run(['findings', 'list', '--all', '--status', 'open', '--jq', 'length'])).toMatchObject({
      code: 0,
      stdout: '0\n',
    });
  });
});

describe('a gate does not pass by a list that may not be all', () => {
  const closed = (...numbers: number[]) => numbers.map((number) => ({ id: number, status: 'closed' }));
  const page = (headers: Record<string, string | string[]>): Reply => ({ body: closed(1, 2), headers });
  const OPEN = [...GATE, '--status', 'open'];
  const IGNORE_ERRORS = ['wire.findings.ignore', 'hasMore=false', 'requestId=*'];
  // biome-ignore format: a table
  it.each<Situation>([
    { source: 'an error object of a gateway', argv: GATE, reply: { body: { error: { code: 'E42', message: 'no access' }, data: [] } }, code: 1, says: ['"error.message=no access"'] },
    { source: 'an error without a list', argv: GATE, reply: { body: { error: 'forbidden', code: 7 } }, code: 1, says: ['it has no array', 'forbidden'] },
    { source: 'an error without a list, and with null for it', argv: GATE, reply: { body: { data: null, error: 'forbidden' } }, code: 1, says: ['it has no array', 'forbidden'] },
    { source: 'the same flag with another value', argv: GATE, settings: [IGNORE_ERRORS], reply: { body: { data: [], hasMore: true, requestId: 'r-2' } }, code: 1, says: ["orgadm config set wire.findings.ignore hasMore=false 'requestId=*' hasMore=true\n"] },
    { source: 'the number of the next page in a header', argv: OPEN, reply: page({ 'x-next-page': '2' }), code: 1, says: ['the header x-next-page is 2'] },
    { source: 'no number on the last page', argv: OPEN, reply: page({ 'x-next-page': '', 'x-total': '2', 'x-total-count': '2' }), code: 0, says: [] },
    { source: 'the total in a header', argv: OPEN, reply: page({ 'x-total-count': '319' }), code: 1, says: [' x-total-count is 319'] },
    { source: 'the total in a header with a shorter name', argv: OPEN, reply: page({ 'x-total': '3' }), code: 1, says: [' x-total is 3'] },
    { source: 'a total that is not a number', argv: OPEN, reply: page({ 'x-total-count': 'many' }), code: 1, says: [' x-total-count is many'] },
    { source: 'a range of the list', argv: OPEN, reply: page({ 'content-range': 'items 0-1/319' }), code: 1, says: [' content-range is items 0-1/319'] },
    { source: 'a range without a unit', argv: OPEN, reply: page({ 'content-range': '0-1/3' }), code: 1, says: ['content-range'] },
    { source: 'a later range, of an unknown total', argv: OPEN, reply: page({ 'content-range': '25-26/*' }), code: 1, says: ['content-range'] },
    { source: 'a range of the entire list', argv: OPEN, reply: page({ 'content-range': 'items 0-1/2' }), code: 0, says: [] },
    { source: 'headers of the only page', argv: OPEN, reply: page({ 'x-next-page': '', 'x-total': '2', 'x-ratelimit-remaining': '99', 'x-request-id': 'next' }), code: 0, says: [] },
    { source: 'a cache that stores the responses to all keys', argv: OPEN, reply: page({ age: '90000' }), code: 1, says: ['the header age is 90000'] },
    { source: 'two caches on the way, of which the second has an old response', argv: OPEN, reply: page({ age: ['0', '86400'] }), code: 1, says: ['the header age is 86400'] },
    { source: 'the ages of two caches in one header', argv: OPEN, reply: page({ age: '0, 86400' }), code: 1, says: ['the header age is 0, 86400'] },
    { source: 'an age that is no number', argv: OPEN, reply: page({ age: 'old' }), code: 1, says: ['the header age is old'] },
    { source: 'a cache that has received the response in this second', argv: OPEN, reply: page({ age: '0', 'x-cache': 'HIT' }), code: 0, says: [] },
    { source: 'a cache that has asked the service', argv: OPEN, reply: page({ age: '0', warning: '214 - "Transformation Applied"' }), code: 0, says: [] },
    { source: 'another status of success', argv: OPEN, reply: { status: 203, body: [] }, code: 1, says: [' is 203'] },
    { source: 'a task that was created', argv: OPEN, reply: { status: 201, body: [] }, code: 1, says: [' is 201'] },
    { source: 'a mistyped task, for which services return an empty list', argv: ['findings', 'list', '--task', 'tsk_9', '--exit-status'], reply: { body: [] }, code: 0, says: ['the service has no findings for the task tsk_9, or no such task\n'] },
    { source: 'a mistyped evidence submission', argv: ['findings', 'list', '--evidence-submission', 'sub_9'], reply: { body: [] }, code: 0, says: ['no findings for the evidence submission sub_9, or no such evidence submission\n'] },
  ])('$source', expectSituation);

  it('a field whose value is too long for a command is not ignored by the command of the hint', async () => {
    const { run } = await cli.scripted(() => ({ body: { data: [], cursor: 'x'.repeat(2_000) } }));
    const { code, stderr } = await run(GATE);
    expect(code).toBe(1);
    expect(stderr).not.toContain('config set');
    expect(stderr).toContain('--debug shows the response.\n');
  });

  it('a field without a value is rejected by the setting, because it would ignore every value', async () => {
    const { code, stderr } = await cli.plain(['config', 'set', 'wire.findings.ignore', 'hasMore']);
    expect(code).toBe(2);
    expect(stderr).toBe(
      'error: wire.findings.ignore: "hasMore" has no value\n' +
        'hint: Write <name>=<value>. orgadm ignores only that value, because another one may mean something else.\n',
    );
  });
});

describe('a domain does not pass by a status that orgadm does not understand', () => {
  const DOMAIN = 'trust.acme.test';
  const CHECK = ['domain', 'status', DOMAIN, '--exit-status'];
  const ready = (fields: object): Reply => ({ body: { domain: DOMAIN, verified: true, ...fields } });
  const RECORD = { type: 'TXT', domain: '_verify', value: 'verify=1', reason: 'pending_domain_verification' };
  const IGNORED = [['wire.domain.ignore', 'status=active', 'checkedAt=*']];
  // biome-ignore format: a table
  it.each<Situation>([
    { source: 'a check that failed after the last success', argv: CHECK, reply: ready({ errors: [{ code: 'dns_timeout' }] }), code: 1, says: ['it failed', 'dns_timeout'] },
    { source: 'an empty list of errors', argv: CHECK, reply: ready({ errors: [], error: null, success: true }), code: 0, says: [] },
    { source: 'a status in words', argv: CHECK, reply: ready({ status: 'error' }), code: 1, says: ['"status=error"\n', ' orgadm config set wire.domain.ignore status=error\n'] },
    { source: 'the status of an error in the body of a 200', argv: CHECK, reply: ready({ statusCode: 500 }), code: 1, says: ['it failed'] },
    { source: 'the status of an error under another name', argv: CHECK, reply: ready({ status: 503 }), code: 1, says: ['it failed'] },
    { source: 'the status of the response in its body', argv: CHECK, reply: ready({ status: 200, statusCode: 200 }), code: 1, says: ['"status=200", "statusCode=200"'] },
    { source: 'a list of all domains, of which a gateway returns one', argv: CHECK, reply: { body: { verified: true } }, code: 1, says: ['error: cannot tell whether trust.acme.test is ready: the response about trust.acme.test does not name the domain\n'] },
    { source: 'a cache that mixes up domains', argv: CHECK, reply: ready({ domain: 'other.acme.test' }), code: 1, says: ['error: cannot tell whether trust.acme.test is ready: orgadm asked for trust.acme.test, but the service returned other.acme.test\n'] },
    { source: 'a cache that stores the status of the day before', argv: CHECK, reply: { ...ready({}), headers: { age: '86000' } }, code: 1, says: ['cannot tell whether trust.acme.test is ready: the header age is 86000'] },
    { source: 'a status of each record', argv: CHECK, reply: ready({ verification: [{ ...RECORD, status: 'verified' }, { ...RECORD, status: 'failed' }] }), code: 1, says: ['the values "verification.status=verified", "verification.status=failed"'] },
    { source: 'a status of each record that the user ignores with its value', argv: CHECK, settings: [['wire.domain.ignore', 'verification.status=verified']], reply: ready({ verification: [{ ...RECORD, status: 'verified' }] }), code: 0, says: [] },
    { source: 'the same fields with another value', argv: CHECK, settings: IGNORED, reply: ready({ status: 'failed', checkedAt: '2026-02-01' }), code: 1, says: ["wire.domain.ignore status=active 'checkedAt=*' status=failed\n"] },
    { source: 'another status of success, as that of a proxy that changes responses', argv: CHECK, reply: { status: 203, ...ready({}) }, code: 1, says: ['the status is 203 in the response about trust.acme.test'] },
    { source: 'a field that may mean anything, without a gate', argv: ['domain', 'status', DOMAIN], reply: ready({ sslState: 'pending' }), code: 0, says: [] },
  ])('$source', expectSituation);

  it('what a profile ignores in the responses of its own service counts for another one, until a profile of its own ignores it', async () => {
    const { run } = await cli.scripted(() => ready({ status: 'failed' }));
    await cli.plain(['config', 'set', 'base-url', 'https://service.acme.test']);
    await cli.plain(['config', 'set', 'wire.domain.ignore', 'status=*']);
    const { code, stderr } = await run(CHECK);
    expect(code).toBe(1);
    expect(stderr).toContain(' orgadm config set wire.domain.ignore status=failed --profile <name>\n');
    await cli.plain(['config', 'set', 'wire.domain.ignore', 'status=failed', '--profile', 'other']);
    expect((await run([...CHECK, '--profile', 'other'])).code).toBe(0);
  });
});

describe('a role update that cannot be compared says so', () => {
  const UPDATE = ['role', 'update', 'rol_1', '--name', 'QA'];
  const ROLE = { id: 'rol_1', name: 'QA' };
  // biome-ignore format: a table
  it.each<Situation>([
    { source: 'a queue that accepts the update', argv: UPDATE, reply: { status: 202, body: ROLE }, code: 1, says: ['error: the role may have been updated, but the response (202) may be incomplete\nhint: Check the current state before you try again.\n'] },
    { source: 'a queue without a body', argv: UPDATE, reply: { status: 202 }, code: 1, says: ['(202)'] },
    { source: 'a part of the role', argv: UPDATE, reply: { status: 206, body: ROLE }, code: 1, says: ['(206)'] },
    { source: 'a system that composes accents', argv: ['role', 'update', 'rol_1', '--name', 'Pru\u0308fer'], reply: { body: { id: 'rol_1', name: 'Pr\u00fcfer' } }, code: 0, says: ['✓ ', ' rol_1\n'] },
    { source: 'a system that decomposes accents', argv: ['role', 'update', 'rol_1', '--name', 'Pr\u00fcfer'], reply: { body: { id: 'rol_1', name: 'Pru\u0308fer' } }, code: 0, says: ['✓ ', ' rol_1\n'] },
    { source: 'a service that trims names', argv: ['role', 'update', 'rol_1', '--name', ' QA '], reply: { body: ROLE }, code: 0, says: ['✓ ', ' rol_1\n'] },
    { source: 'a service that changes capitals', argv: ['role', 'update', 'rol_1', '--name', 'qa'], reply: { body: ROLE }, code: 3, says: ['differently from what orgadm sent: name\n'] },
    { source: 'a success in words', argv: UPDATE, reply: { body: { ...ROLE, success: 'true' } }, code: 1, says: ['it failed'] },
    { source: 'a role without a value', argv: UPDATE, reply: { body: { id: '', name: '' } }, code: 1, says: ['neither an id nor a name'] },
    { source: 'a list with the role', argv: UPDATE, reply: { body: [ROLE] }, code: 1, says: ['may have been updated'] },
    { source: 'errors next to the role', argv: UPDATE, reply: { body: { ...ROLE, errors: ['not saved'] } }, code: 1, says: ['it failed'] },
  ])('$source', expectSituation);
});

describe('the file of a role', () => {
  const update = async (stdin: object, reply?: Reply, argv: readonly string[] = []) => {
    const { service, run } = await cli.scripted(() => reply ?? { status: 599 });
    const result = await run(['role', 'update', 'rol_1', '--from', '-', '--yes', ...argv], {
      stdin: JSON.stringify(stdin),
    });
    return { ...result, requests: service.requests.length };
  };

  // biome-ignore format: a table
  it.each<[source: string, file: object, says: string]>([
    ['the export of another role', { id: 'rol_admin', permissions: { control: ['delete'] } }, 'error: --from: standard input is the role rol_admin, not rol_1\nhint: To give rol_1 the values of that role, remove "id" from the file.\n'],
    ['a resource pasted from a web page', { permissions: { 'cont\u200brol': ['read'] } }, '--from: permissions must not contain hidden characters (got cont<U+200B>rol)'],
    ['an action of a file with Windows line ends', { permissions: { control: ['read\r'] } }, 'must not contain hidden characters (got read<U+000D>)'],
    ['an action of a list with spaces', { permissions: { control: ['read', ' update'] } }, 'must not be blank, or have a space at an end (got " update")'],
    ['a blank action', { permissions: { control: [''] } }, 'must not be blank'],
    ['a blank resource', { permissions: { '': ['read'] } }, '--from: permissions must not be blank'],
    ['an obligation pasted from a document', { obligations: { 'compli\u00adance': true } }, '--from: obligations must not contain hidden characters'],
    ['a name with a line end', { name: 'QA\r\n' }, '--from: name must not contain hidden characters'],
  ])('is rejected before anything is sent: %s', async (_source, file, says) => {
    const { code, stderr, requests } = await update(file);
    expect({ code, requests }).toEqual({ code: 2, requests: 0 });
    expect(stderr).toContain(says);
  });

  it.each([
    ['an editor with an older encoding', Buffer.from('{"name":"Prüfer"}', 'latin1')],
    ['a shell that writes two bytes for each letter', Buffer.from('\ufeff{"name":"QA"}', 'utf16le')],
  ])('is rejected if it is not in UTF-8: %s', async (_source, stdin) => {
    const { service, run } = await cli.scripted([]);
    const { code, stderr } = await run(['role', 'update', 'rol_1', '--from', '-', '--yes'], { stdin });
    expect({ code, requests: service.requests }).toEqual({ code: 2, requests: [] });
    expect(stderr).toContain('--from: standard input is not in UTF-8\n');
  });

  it('may have an ID of more digits than a number can hold', async () => {
    const ID = '12345678901234567890';
    const { service, run } = await cli.scripted(() => ({ body: `{"id":${ID},"name":"QA"}`, headers: JSON_TYPE }));
    const stdin = `{"id":${ID},"name":"QA"}`;
    expect((await run(['role', 'update', ID, '--from', '-'], { stdin })).code).toBe(0);
    expect((await run(['role', 'update', '12345678901234567891', '--from', '-'], { stdin })).code).toBe(2);
    expect(service.requests).toHaveLength(1);
  });

  it('may have a name with the joiners of Persian letters and emoji', async () => {
    for (const name of ['\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645', 'Team \u{1f468}\u200d\u{1f469}']) {
      const reply = { body: { id: 'rol_1', name } };
      expect((await update({ name }, reply)).code).toBe(0);
      expect((await update({}, reply, ['--name', name])).code).toBe(0);
    }
  });

  it('may be the export of the same role, and an option that replaces its permissions is named', async () => {
    const reply = { body: { id: 'rol_1', permissions: { control: ['read'] } } };
    const file = { id: 'rol_1', permissions: { control: ['read'], risk: ['read'] } };
    const { code, stderr } = await update(file, reply, ['--permission', 'control=read']);
    expect(code).toBe(0);
    expect(stderr).toContain('--from: options replace fields of the file: permissions\n');
  });
});

describe('the stored role shows everything that the service says about it', () => {
  const shown = async (body: object) => {
    const { run } = await cli.scripted([{ body }]);
    return run(['role', 'update', 'rol_1', '--obligation', 'compliance=true']);
  };

  it('a message and a state that the interface does not name', async () => {
    const { stdout } = await shown({
      id: 'rol_1',
      status: 'pending',
      message: 'waits for approval',
      members: [{ id: 1 }],
    });
    expect(stdout).toMatch(/^status +pending$/m);
    expect(stdout).toMatch(/^message +waits for approval$/m);
    expect(stdout).not.toContain('members');
  });

  it('a value that differs only in its type', async () => {
    const { code, stdout } = await shown({ id: 'rol_1', obligations: { compliance: 'true' } });
    expect(code).toBe(3);
    expect(stdout).toMatch(/^obligations\.compliance +true +"true"$/m);
  });
});

describe('a check that is built on api', () => {
  const CLOSED = (body: string): RawReply => ({
    raw: `HTTP/1.0 200 OK\r\ncontent-type: application/json\r\n\r\n${body}`,
    after: 'end',
  });
  const COUNT = ['api', 'GET', '/v1/findings', '--jq', 'map(select(.status == "open")) | length'];
  // biome-ignore format: a table
  it.each<Situation>([
    { source: 'an empty response, for which jq prints nothing', argv: COUNT, reply: { body: '' }, code: 1, says: ['--jq: the response (200) is empty'] },
    { source: 'a response without content', argv: COUNT, reply: { status: 204 }, code: 1, says: ['--jq: the response (204) is empty'] },
    { source: 'a HEAD request, which has no document', argv: ['api', 'HEAD', '/v1/findings', '--jq', 'length'], reply: { status: 200 }, code: 1, says: ['(200) is empty'] },
    { source: 'a server that ends its responses with the connection, which is lost', argv: ['api', 'GET', '/v1/findings'], reply: CLOSED('[{"id":1},'), code: 6, says: ['the connection ended before the end of the response'] },
    { source: 'a server that ends its responses with the connection', argv: ['api', 'GET', '/v1/findings'], reply: CLOSED('[{"id":1}]'), code: 0, says: [] },
    { source: 'a DELETE whose ID is an empty variable', argv: ['api', 'DELETE', '/v1/people/'], code: 2, says: ['a part of the path is empty: /v1/people/\n', 'check that it is set'] },
    { source: 'a DELETE with an empty variable in the middle', argv: ['api', 'DELETE', 'v1/people//roles/rol_1'], code: 2, says: ['a part of the path is empty'] },
    { source: 'a DELETE with an empty variable before the query', argv: ['api', 'DELETE', 'v1/people/?force=true'], code: 2, says: ['a part of the path is empty'] },
    { source: 'a DELETE of the base URL', argv: ['api', 'DELETE', '/'], code: 2, says: ['a part of the path is empty'] },
    { source: 'a DELETE with a slash in the query', argv: ['api', 'DELETE', 'v1/people/mem_1?reason=/'], reply: { status: 204 }, code: 0, says: [] },
    { source: 'a DELETE of a service whose paths end in a slash', argv: ['api', 'DELETE', 'v1/people/mem_1/?'], reply: { status: 204 }, code: 0, says: [] },
    { source: 'a body of a command that has failed', argv: ['api', 'PATCH', 'v1/roles/rol_1', '--input', '-'], code: 2, says: ['--input: standard input is empty', 'that command failed'] },
  ])('$source', expectSituation);
});

describe('a suggested setting changes the profile that the command named, and no other', () => {
  // biome-ignore format: a table
  it.each<[source: string, argv: readonly string[], reply: Reply, command: string]>([
    ['a field next to the findings', GATE, { body: { data: [], hasMore: false } }, 'wire.findings.ignore hasMore=false'],
    ['a field of a domain', ['domain', 'status', 'trust.acme.test', '--exit-status'], { body: { domain: 'trust.acme.test', verified: true, status: 'active' } }, 'wire.domain.ignore status=active'],
    ['a selector that the service ignored', ['findings', 'list', '--task', 'tsk_1'], { body: [{ id: 'f1', taskId: 'tsk_2' }] }, 'wire.findings.task <name>'],
    ['a selector that the service rejected', ['findings', 'list', '--task', 'tsk_1'], { status: 400, body: { message: 'Bad Request' } }, 'wire.findings.task <name>'],
  ])('%s', async (_source, argv, reply, command) => {
    const { service, run } = await cli.scripted(() => reply);
    await cli.plain(['config', 'set', 'base-url', service.url, '--profile', 'staging']);
    const named = await run([...argv, '--profile', 'staging']);
    expect(named.stderr).toContain(`orgadm config set ${command} --profile staging\n`);
    const ofVariable = await run(argv, { env: { ORGADM_PROFILE: 'staging' } });
    expect(ofVariable.stderr).toContain(`orgadm config set ${command}\n`);
  });
});

describe('a message leads to the next step', () => {
  const GRANT = ['role', 'update', 'rol_1', '--permission', 'control=read,update', '--yes'];
  const stored = (permissions: object, more: object = {}): Reply => ({ body: { id: 'rol_1', permissions, ...more } });
  const TASK = ['findings', 'list', '--task', 'tsk_1'];
  const FROM = '{"permissions":{"control":["read"]},"obligations":{"compliance":true}}';
  // biome-ignore format: a table
  it.each<Situation>([
    { source: 'a key that can remove what it cannot grant', argv: GRANT, reply: stored({ control: ['read', 'update'] }), code: 0, says: [' permissions of rol_1: control (read, update)\nwarning: '] },
    { source: 'a service that adds permissions of its own', argv: [...GRANT, '--obligation', 'compliance=true'], reply: stored({ control: ['read', 'update'], portal: ['read', 'update'] }), code: 3, says: ['hint: If the service adds these itself, include them in the update: --permission portal=read,update\n'] },
    { source: 'a service that adds an action of its own', argv: ['role', 'update', 'rol_1', '--permission', 'control=update'], reply: stored({ control: ['read', 'update'] }), code: 3, says: ['include them in the update: --permission control=read,update\n'] },
    { source: 'a service that adds an obligation of its own', argv: ['role', 'update', 'rol_1', '--obligation', 'compliance=true'], reply: { body: { id: 'rol_1', obligations: { compliance: true, terms: true } } }, code: 3, says: ['include them in the update: --obligation terms=true\n'] },
    { source: 'a selector whose value the service repeats', argv: TASK, reply: { status: 400, body: { message: 'tsk_1 is not a task' } }, code: 1, says: ['then try again. Check the value of --task.\n'] },
    { source: 'a selector of which the service says nothing', argv: TASK, reply: { status: 400, body: { message: 'Bad Request' } }, code: 1, says: ['Check the value of --task, which orgadm sent as taskId. If your service uses a different name for the parameter, run: orgadm config set wire.findings.task <name>\n'] },
  ])('$source', expectSituation);

  it('a service that adds permissions to those of a file names what to add to the file', async () => {
    const { run } = await cli.scripted([stored({ control: ['read'], portal: ['read', 'update'] })]);
    const { code, stderr } = await run(['role', 'update', 'rol_1', '--from', '-', '--yes'], { stdin: FROM });
    expect(code).toBe(3);
    expect(stderr).toContain('include them in the update: "portal":["read","update"]\n');
  });

  it('a service that stores less than was sent gets no suggestion to send less', async () => {
    const { run } = await cli.scripted([stored({ control: ['read'] })]);
    const { code, stderr } = await run(GRANT);
    expect(code).toBe(3);
    expect(stderr).not.toContain('hint:');
  });
});
