import { describe, expect, it } from 'vitest';
import { errorOf } from '../../helpers/report.ts';
import type { Reply } from '../../helpers/scripted-service.ts';
import { createCommandRunner } from '../../helpers/service-run.ts';
import { partLike } from '../../helpers/text-like.ts';

const cli = createCommandRunner();
const GATE = ['findings', 'list', '--all', '--status', 'open', '--exit-status'];
const CLOSED = { id: 'f1', status: 'closed' };
const TYPE = { 'content-type': 'application/json' };

/** Runs a gate against one response. */
async function runGate(reply: Reply, argv: readonly string[] = GATE) {
  const { run } = await cli.scripted(() => reply);
  return run(argv);
}

describe('findings list --exit-status passes', () => {
  it.each([
    ['an empty array', []],
    ['an array of objects', [CLOSED, CLOSED]],
    ['an object with one array', { findings: [CLOSED] }],
    ['a count that equals the length', { data: [CLOSED], count: 1 }],
    ['totals that equal the length', { total: 0, items: [], totalCount: 0 }],
    ['success: true', { success: true, data: [] }],
  ])('on %s', async (_name, body) => {
    expect(await runGate({ body })).toMatchObject({ code: 0, stderr: expect.not.stringContaining('warning') });
  });

  it.each([
    ['a Link header without a next page', { link: '</v1/findings?page=1>; rel="prev first"' }],
    ['a Link header with a relation whose name contains next', { link: '</next>; rel="next-archive"; title="next"' }],
  ])('on %s', async (_name, headers) => {
    expect((await runGate({ body: [CLOSED], headers })).code).toBe(0);
  });

  it.each<[string, object]>([
    ['null', { data: [CLOSED], next: null, error: null, success: null }],
    ['empty texts, lists, and objects', { data: [CLOSED], next: '', errors: [], meta: { links: {}, tags: [] } }],
    ['what Django REST framework sends', { count: 1, next: null, previous: null, results: [CLOSED] }],
    ['a list and its count in an inner object', { data: { findings: [CLOSED], total: 1 } }],
    ['a second list that is empty', { data: [CLOSED], included: [] }],
  ])('next to %s', async (_name, body) => {
    expect(await runGate({ body })).toMatchObject({ code: 0, stderr: expect.not.stringContaining('warning') });
  });
});

describe('wire.findings.ignore accepts', () => {
  const PAGE = { data: [CLOSED], meta: { page: 1, totalPages: 9 } };
  it.each<[string, words: string[], body: object, code: number]>([
    ['a path with this value', ['authType=api-key'], { data: [CLOSED], authType: 'api-key' }, 0],
    ['no other value of it', ['authType=api-key'], { data: [CLOSED], authType: 'session' }, 1],
    ['a value within an object', ['meta.page=1', 'meta.totalPages=9'], PAGE, 0],
    ['no other value next to it', ['meta.page=1'], PAGE, 1],
    ['with *, any text', ['requestId=*'], { data: [CLOSED], requestId: 'r-2' }, 0],
    ['with *, a long text', ['cursor=*'], { data: [CLOSED], cursor: 'x'.repeat(5_000) }, 0],
    ['with *, any number', ['meta.page=*', 'meta.totalPages=*'], PAGE, 0],
    ['with *, any boolean', ['cached=*'], { data: [CLOSED], cached: false }, 0],
    ['with *, no object', ['meta=*'], PAGE, 1],
    ['with *, no list', ['warnings=*'], { data: [CLOSED], warnings: ['partial'] }, 1],
    ['with *, no second list', ['findings=*'], { data: [], findings: [CLOSED] }, 1],
    ['with *, no long object', ['byId=*'], { data: [], byId: { f1: { ...CLOSED, content: 'x'.repeat(5_000) } } }, 1],
    ['with *, no path below it', ['data=*'], { data: { findings: [], total: 2 } }, 1],
  ])('%s', async (_name, words, body, code) => {
    await cli.plain(['config', 'set', 'wire.findings.ignore', ...words]);
    const { code: actual, stderr } = await runGate({ body });
    expect(actual).toBe(code);
    // What orgadm suggests never accepts more than what has arrived.
    for (const word of words) if (word.endsWith('*')) expect(stderr.replace(`'${word}'`, '')).not.toContain('*');
  });
});

describe('findings list --exit-status exits 1', () => {
  it.each<[string, unknown, string]>([
    ['success: false', { success: false, message: 'not allowed', data: [] }, 'success is false; '],
    ['an error', { error: 'backend down', findings: [] }, 'the service reports an error: backend down'],
    [
      'errors',
      { errors: [{ message: 'timeout' }], findings: [] },
      'the service reports an error: {"message":"timeout"}',
    ],
    ['the status of an error', { statusCode: 403, findings: [] }, 'statusCode is 403'],
    ['a next page', { data: [], next_page_url: '/v1/findings?page=2' }, '"next_page_url=/v1/findings?page=2"'],
    ['done: false', { records: [], done: false, nextRecordsUrl: '/q/2' }, '"done=false", "nextRecordsUrl=/q/2"'],
    ['a total in an object', { data: [], total: { value: 5 } }, 'total is an object'],
    ['a larger total', { data: [CLOSED], total: 58 }, 'total is 58, but the list has 1'],
    ['a count in quotes', { data: [CLOSED], count: '1' }, 'count is "1"'],
    ['a second list', { data: [], findings: [CLOSED] }, '"findings.0.id=f1", "findings.0.status=closed"'],
    ['a map of findings', { data: [], byId: { f1: CLOSED } }, '"byId.f1.id=f1", "byId.f1.status=closed"'],
    ['a long cursor', { data: [], cursor: 'x'.repeat(5000) }, '"cursor=…"'],
    [
      'a member after many others',
      { ...Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`m${at}`, at])), data: [], total: 5 },
      '"m0=0", "m1=1", "m2=2", "m3=3", "m4=4" and 195 more',
    ],
  ])('for %s', async (_name, body, reason) => {
    const { code, stderr } = await runGate({ body });
    expect(code).toBe(1);
    expect(stderr).toMatch(partLike(`error: …: …${reason}`));
    const listed = await runGate({ body }, ['findings', 'list', '--all', '-o', 'ndjson']);
    expect(listed.code).toBe(0);
    expect(listed.stderr).toMatch(/^warning: .*\n( {2}.*\n)?$/);
    expect(listed.stderr).toContain(reason);
  });

  it.each<[string, string, string]>([
    [
      'an element that is not an object',
      '[{"status":"closed"},"f2"]',
      'line 1: an element of the list is not an object',
    ],
    ['an element that is not JSON', '[{"status":"closed"},\n{"id" 2}]', 'line 2: '],
    ['text after the list', '[]\n[]', 'it continues after the end of the list'],
    ['an object without a list', '{"message":"no"}', 'it has no array under a usual key'],
    ['an object with a list under another key', '{"hits":[{"id":"f1"}]}', 'it has no array under a usual key'],
    ['groups of findings', '{"findings":{"open":[],"closed":[{}]}}', 'it has no array under a usual key'],
  ])('for %s, also without the option', async (_name, body, reason) => {
    for (const argv of [GATE, ['findings', 'list', '--all']]) {
      const { code, stderr } = await runGate({ body, headers: TYPE }, argv);
      expect(code).toBe(1);
      expect(stderr).toMatch(partLike(`error: … (200) …: ${reason}`));
    }
  });

  it('for a list that breaks off, also without the option', async () => {
    for (const argv of [GATE, ['findings', 'list', '--all']]) {
      const { code, stderr } = await runGate({ body: '[{"status":"closed"}', headers: TYPE }, argv);
      expect(code).toBe(6);
      expect(stderr).toContain('ended its response before the end of the list');
    }
  });

  it('for a member that occurs twice', async () => {
    const reply = { body: '{"data":[],"total":5,"total":0}', headers: TYPE };
    expect(await runGate(reply)).toMatchObject({ code: 1, stderr: expect.stringContaining('total is 5') });
    const twice = { body: '{"data":[],"data":[{"status":"closed"}]}', headers: TYPE };
    expect(await runGate(twice)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('the key data of the list occurs twice'),
    });
  });

  it.each<[string, Reply, string]>([
    ['an empty body', { body: '' }, 'it contains no list'],
    ['null', { body: 'null', headers: TYPE }, 'it contains no list'],
    ['no content', { status: 204 }, 'it contains no list'],
    ['partial content', { status: 206, body: [] }, 'its status is 206'],
    ['a list that is not ready', { status: 202, body: [] }, 'its status is 202'],
  ])('for %s', async (_name, reply, reason) => {
    const { code, stderr } = await runGate(reply);
    expect(code).toBe(1);
    expect(stderr).toContain(reason);
    const listed = await runGate(reply, ['findings', 'list', '--all', '--json']);
    expect(listed).toMatchObject({ code: 0, stdout: '[]\n', stderr: expect.stringContaining(`warning: `) });
  });

  it.each<[string, string | string[]]>([
    ['alone', '</v1/findings?page=2>; rel="next"'],
    ['in the second of two headers', ['</a>; rel="prev"', '</b>; rel="next"']],
    ['as the second of two links', '</a>; rel="prev", </b>; rel="next"'],
    ['in single quotes', "</b>; rel='next'"],
    ['without quotes', '</b>;rel=next'],
    ['as the second of two relations', '</b>; rel="last next"'],
    ['in capitals', '</b>; REL = "NEXT"'],
  ])('for a Link header with a next page %s', async (_name, link) => {
    const { code, stderr } = await runGate({ body: [CLOSED], headers: { link } });
    expect(code).toBe(1);
    expect(stderr).toMatch(/\blink\b/);
  });

  it.each<[string, object, string]>([
    ['belong to another task', { taskId: 't9' }, '2 of 2 findings have another taskId than t1'],
    ['have no task', { scope: 'people' }, '2 of 2 findings have no taskId'],
  ])('if all findings %s', async (_name, fields, reason) => {
    const body = [CLOSED, CLOSED].map((finding) => ({ ...finding, ...fields }));
    const argv = ['findings', 'list', '--task', 't1', '--status', 'open'];
    const { code, stderr } = await runGate({ body }, [...argv, '--exit-status']);
    expect(code).toBe(1);
    expect(stderr).toContain(`the service may have ignored the selector: ${reason}\n`);
    expect(stderr).toContain('orgadm config set wire.findings.task <name>');
    expect(await runGate({ body }, argv)).toMatchObject({ code: 0, stderr: expect.stringContaining(reason) });
  });

  it.each<[string, Reply, string]>([
    [
      'a larger total',
      { body: { data: [], total: 5 } },
      '--debug shows the response. If the service returns pages, request fewer findings.',
    ],
    ['no list', { body: '' }, 'Check that the base URL is the address of the service.'],
    [
      'members that it does not understand',
      { body: { data: [], next: 1, 'a b': 2 } },
      `If those fields do not mean that findings are missing, ignore them: orgadm config set wire.findings.ignore next=1 'a b=2'`,
    ],
  ])('with a hint for %s', async (_name, reply, hint) => {
    expect((await runGate(reply)).stderr).toContain(`hint: ${hint}\n`);
  });

  it('with all reasons at once', async () => {
    const body = { data: [{ ...CLOSED, taskId: 't9' }], next: 'x' };
    const { code, stderr } = await runGate({ body }, [
      'findings',
      'list',
      '--task',
      't1',
      '--status',
      'open',
      '--exit-status',
    ]);
    expect(code).toBe(1);
    expect(stderr).toBe(
      'no findings\nthe filters dropped 1 of 1 findings\n' +
        'error: no findings remain, but the list may be wrong: the service may have ignored the selector: 1 of 1 findings has ' +
        'another taskId than t1; the response may be incomplete: orgadm does not understand the field "next=x"\n' +
        'hint: If it has another name for the parameter, run: orgadm config set wire.findings.task <name>\n' +
        '  If that field does not mean that findings are missing, ignore it: orgadm config set wire.findings.ignore next=x\n',
    );
  });

  it('as one JSON error after the list with --json', async () => {
    const { code, stdout, stderr } = await runGate({ body: { data: [CLOSED], next: 'x' } }, [...GATE, '--json']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '[]\n' });
    expect({ error: errorOf({ stderr }) }).toEqual({
      error: {
        code: 'incomplete-list',
        message: expect.stringMatching(/ "next=x"$/),
        hint: expect.stringMatching(/orgadm config set wire\.findings\.ignore next=x$/),
      },
    });
  });
});

describe('findings list --exit-status exits 7', () => {
  it('if a finding is left, also in a response that may be incomplete', async () => {
    const { code, stderr } = await runGate({ body: { data: [{ id: 'f1', status: 'open' }], hasMore: true } });
    expect(code).toBe(7);
    expect(stderr).toMatch(partLike('warning: … "hasMore=true". '));
    expect(stderr).toContain('1 finding remains (exit 7)\n');
  });
});
