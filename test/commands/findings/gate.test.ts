import { describe, expect, it } from 'vitest';
import { errorOf } from '../../helpers/report.ts';
import type { Reply } from '../../helpers/scripted-service.ts';
import { createCommandRunner } from '../../helpers/service-run.ts';

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
  it.each<[string, unknown, named: string]>([
    ['success: false', { success: false, message: 'not allowed', data: [] }, 'success'],
    ['an error', { error: 'backend down', findings: [] }, 'backend down'],
    ['errors', { errors: [{ message: 'timeout' }], findings: [] }, 'timeout'],
    ['the status of an error', { statusCode: 403, findings: [] }, 'statusCode'],
    ['a next page', { data: [], next_page_url: '/v1/findings?page=2' }, 'next_page_url=/v1/findings?page=2'],
    ['done: false', { records: [], done: false, nextRecordsUrl: '/q/2' }, 'done=false'],
    ['a total in an object', { data: [], total: { value: 5 } }, 'total'],
    ['a larger total', { data: [CLOSED], total: 58 }, 'total'],
    ['a count in quotes', { data: [CLOSED], count: '1' }, 'count'],
    ['a second list', { data: [], findings: [CLOSED] }, 'findings'],
    ['a map of findings', { data: [], byId: { f1: CLOSED } }, 'byId'],
    ['a long cursor', { data: [], cursor: 'x'.repeat(5000) }, 'cursor'],
    [
      'a member after many others',
      { ...Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`m${at}`, at])), data: [], total: 5 },
      'm0=0',
    ],
  ])('for %s, which it names, and without the option warns of it', async (_name, body, named) => {
    const { code, stderr } = await runGate({ body });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error: /m);
    expect(stderr).toContain(named);
    const listed = await runGate({ body }, ['findings', 'list', '--all', '-o', 'ndjson']);
    expect(listed.code).toBe(0);
    expect(listed.stderr).toMatch(/^warning: /);
    expect(listed.stderr).toContain(named);
  });

  it.each<[string, string]>([
    ['an element that is not an object', '[{"status":"closed"},"f2"]'],
    ['an element that is not JSON', '[{"status":"closed"},\n{"id" 2}]'],
    ['text after the list', '[]\n[]'],
    ['an object without a list', '{"message":"no"}'],
    ['groups of findings', '{"findings":{"open":[{}],"closed":[{}]}}'],
  ])('for %s, also without the option', async (_name, body) => {
    for (const argv of [GATE, ['findings', 'list', '--all']]) {
      const result = await runGate({ body, headers: TYPE }, [...argv, '--json']);
      expect(result.code).toBe(1);
      expect(errorOf(result).code).toBe('invalid-response');
    }
  });

  it('for a list that breaks off, also without the option', async () => {
    for (const argv of [GATE, ['findings', 'list', '--all']]) {
      const { code, stderr } = await runGate({ body: '[{"status":"closed"}', headers: TYPE }, argv);
      expect(code).toBe(1);
      expect(stderr).toContain('does not contain a list of findings');
    }
  });

  it.each<[string, Reply]>([
    ['an empty body', { body: '' }],
    ['null', { body: 'null', headers: TYPE }],
    ['no content', { status: 204 }],
    ['partial content', { status: 206, body: [] }],
    ['a list that is not ready', { status: 202, body: [] }],
  ])('for %s', async (_name, reply) => {
    expect((await runGate(reply)).code).toBe(1);
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

  it.each<[string, object, named: string]>([['belong to another task', { taskId: 't9' }, 'taskId']])(
    'if all findings %s',
    async (_name, fields, named) => {
      const body = [CLOSED, CLOSED].map((finding) => ({ ...finding, ...fields }));
      const argv = ['findings', 'list', '--task', 't1', '--status', 'open'];
      const { code, stderr } = await runGate({ body }, [...argv, '--exit-status']);
      expect(code).toBe(1);
      expect(stderr).toContain(named);
      expect(stderr).toContain('wire.findings.task');
      expect(await runGate({ body }, argv)).toMatchObject({ code: 0, stderr: expect.stringContaining(named) });
    },
  );

  it('with a hint that accepts exactly what has arrived', async () => {
    const { stderr } = await runGate({ body: { data: [], next: 1, 'a b': 2 } });
    expect(stderr).toContain(`orgadm config set wire.findings.ignore next=1 'a b=2'\n`);
  });

  it('with all reasons at once', async () => {
    const body = { data: [{ ...CLOSED, taskId: 't9' }], next: 'x' };
    const argv = ['findings', 'list', '--task', 't1', '--status', 'open', '--exit-status'];
    const { code, stderr } = await runGate({ body }, argv);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error: .*taskId.*next=x/m);
  });

  it('as one JSON error after the list with --json', async () => {
    const { code, stdout, stderr } = await runGate({ body: { data: [CLOSED], next: 'x' } }, [...GATE, '--json']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '[]\n' });
    expect(errorOf({ stderr }).code).toBe('incomplete-list');
  });
});

describe('findings list --exit-status exits 7', () => {
  it('if a finding is left, also in a response that may be incomplete', async () => {
    const { code, stderr } = await runGate({ body: { data: [{ id: 'f1', status: 'open' }], hasMore: true } });
    expect(code).toBe(7);
    expect(stderr).toMatch(/^warning: .*hasMore=true/m);
  });
});
