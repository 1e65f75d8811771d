import { describe, expect, it } from 'vitest';
import { errorOf } from '../../helpers/report.ts';
import type { Reply } from '../../helpers/scripted-service.ts';
import { createCommandRunner } from '../../helpers/service-run.ts';

const cli = createCommandRunner();
const LIST = ['findings', 'list', '--all'];
const GATE = [...LIST, '--status', 'open', '--exit-status'];
const CLOSED = { id: 'f1', status: 'closed' };
const TYPE = { 'content-type': 'application/json' };
const MANY = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`m${at}`, at]));

/** Runs a gate against one response. */
async function runGate(reply: Reply, argv: readonly string[] = GATE) {
  const { run } = await cli.scripted(() => reply);
  return run(argv);
}

describe('findings list --exit-status passes', () => {
  it.each<[string, body: object]>([
    ['an empty array', []],
    ['an array of objects', [CLOSED, CLOSED]],
    ['an object with one array', { findings: [CLOSED] }],
    ['a count that equals the length', { data: [CLOSED], count: 1 }],
    ['totals that equal the length', { total: 0, items: [], totalCount: 0 }],
    ['a list and its count in an inner object', { data: { findings: [CLOSED], total: 1 } }],
    ['success: true', { success: true, data: [] }],
    ['null next to the list', { data: [CLOSED], next: null, error: null, success: null }],
    ['what is empty next to the list', { data: [CLOSED], next: '', errors: [], meta: { links: {}, tags: [] } }],
    ['a second list that is empty', { data: [CLOSED], included: [] }],
  ])('on %s', async (_, body) => {
    expect(await runGate({ body })).toMatchObject({ code: 0, stderr: expect.not.stringContaining('warning') });
  });

  it.each<[string, headers: Record<string, string>]>([
    ['a link to the previous page', { link: '</v1/findings?page=1>; rel="prev first"' }],
    ['a relation whose name contains next', { link: '</next>; rel="next-archive"; title="next"' }],
    ['the numbers of the only page', { 'x-next-page': '', 'x-total': '1', 'x-total-count': '1' }],
    ['the range of the entire list', { 'content-range': 'items 0-0/1' }],
    ['an age of 0', { age: '0', 'x-cache': 'HIT' }],
  ])('on a header with %s', async (_, headers) => {
    expect((await runGate({ body: [CLOSED], headers })).code).toBe(0);
  });
});

describe('wire.findings.ignore accepts', () => {
  const PAGE = { data: [CLOSED], meta: { page: 1, totalPages: 9 } };
  // biome-ignore format: a table
  it.each<[string, words: string[], body: object, code: number]>([
    ['a path with this value', ['authType=api-key'], { data: [CLOSED], authType: 'api-key' }, 0],
    ['no other value of it', ['authType=api-key'], { data: [CLOSED], authType: 'session' }, 1],
    ['a value within an object', ['meta.page=1', 'meta.totalPages=9'], PAGE, 0],
    ['no other value next to it', ['meta.page=1'], PAGE, 1],
    ['with *, a text of any length', ['cursor=*'], { data: [CLOSED], cursor: 'x'.repeat(5_000) }, 0],
    ['with *, any number', ['meta.page=*', 'meta.totalPages=*'], PAGE, 0],
    ['with *, any boolean', ['cached=*'], { data: [CLOSED], cached: false }, 0],
    ['with *, no object', ['meta=*'], PAGE, 1],
    ['with *, no list', ['warnings=*'], { data: [CLOSED], warnings: ['partial'] }, 1],
    ['with *, no second list', ['findings=*'], { data: [], findings: [CLOSED] }, 1],
    ['with *, no path below it', ['data=*'], { data: { findings: [], total: 2 } }, 1],
  ])('%s', async (_, words, body, code) => {
    await cli.plain(['config', 'set', 'wire.findings.ignore', ...words]);
    const { code: actual, stderr } = await runGate({ body });
    expect(actual).toBe(code);
    // What orgadm suggests never accepts more than what has arrived.
    for (const word of words) if (word.endsWith('*')) expect(stderr.replace(`'${word}'`, '')).not.toContain('*');
  });
});

describe('findings list --exit-status exits 1', () => {
  const withHeaders = (headers: Record<string, string | string[]>): Reply => ({ body: [CLOSED], headers });
  it.each<[string, reply: Reply, named: string]>([
    ['success: false', { body: { success: false, data: [] } }, 'success'],
    ['an error', { body: { error: { code: 'E42', message: 'no access' }, findings: [] } }, 'error.message=no access'],
    ['errors', { body: { errors: [{ message: 'timeout' }], findings: [] } }, 'timeout'],
    ['the status of an error', { body: { statusCode: 403, findings: [] } }, 'statusCode'],
    ['a next page', { body: { data: [], next_page_url: '/v1/findings?page=2' } }, 'next_page_url=/v1/findings?page=2'],
    ['hasMore: true', { body: { data: [], hasMore: true } }, 'hasMore=true'],
    ['done: false', { body: { records: [], done: false } }, 'done=false'],
    ['a total in an object', { body: { data: [], total: { value: 5 } } }, 'total'],
    ['a larger total', { body: { data: [CLOSED], total: 58 } }, 'total'],
    ['a count in quotes', { body: { data: [CLOSED], count: '1' } }, 'count'],
    ['a second list', { body: { data: [], findings: [CLOSED] } }, 'findings'],
    ['a map of findings', { body: { data: [], byId: { f1: CLOSED } } }, 'byId'],
    ['a long cursor', { body: { data: [], cursor: 'x'.repeat(5_000) } }, 'cursor'],
    ['a member after many others', { body: { ...MANY, data: [], total: 5 } }, 'm0=0'],
    ['a next link', withHeaders({ link: '</v1/findings?page=2>; rel="next"' }), 'link'],
    ['a next link in the second header', withHeaders({ link: ['</a>; rel="prev"', '</b>; rel="next"'] }), 'link'],
    ['a next link after another', withHeaders({ link: '</a>; rel="prev", </b>; rel="next"' }), 'link'],
    ['a next link in single quotes', withHeaders({ link: "</b>; rel='next'" }), 'link'],
    ['a next link without quotes', withHeaders({ link: '</b>;rel=next' }), 'link'],
    ['a next link with two relations', withHeaders({ link: '</b>; rel="last next"' }), 'link'],
    ['a next link in capitals', withHeaders({ link: '</b>; REL = "NEXT"' }), 'link'],
    ['the number of the next page', withHeaders({ 'x-next-page': '2' }), 'x-next-page is 2'],
    ['a larger total in a header', withHeaders({ 'x-total-count': '319' }), 'x-total-count is 319'],
    ['one in a shorter header', withHeaders({ 'x-total': '2' }), 'x-total is 2'],
    ['a total that is no number', withHeaders({ 'x-total-count': 'many' }), 'x-total-count is many'],
    ['a range', withHeaders({ 'content-range': 'items 0-0/319' }), 'content-range is items 0-0/319'],
    ['a range of an unknown total', withHeaders({ 'content-range': '25-25/*' }), 'content-range'],
    ['a response from a cache', withHeaders({ age: '90000' }), 'age is 90000'],
    ['an age that is no number', withHeaders({ age: 'old' }), 'age is old'],
    ['one from the second cache', withHeaders({ age: ['0', '86400'] }), 'age is 86400'],
    ['one from the second cache in one header', withHeaders({ age: '0, 86400' }), 'age is 0, 86400'],
    ['a status other than 200', { status: 203, body: [] }, '203'],
    ['a list that is not ready', { status: 202, body: [] }, '202'],
    ['partial content', { status: 206, body: [] }, '206'],
  ])('for %s, which it names, and without the option warns of it', async (_, reply, named) => {
    const { code, stderr } = await runGate(reply);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error: /m);
    expect(stderr).toContain(named);
    const listed = await runGate(reply, [...LIST, '-o', 'ndjson']);
    expect(listed.code).toBe(0);
    expect(listed.stderr).toMatch(/^warning: /);
    expect(listed.stderr).toContain(named);
  });

  it.each<[string, body: string]>([
    ['an element that is not an object', '[{"status":"closed"},"f2"]'],
    ['an element that is not JSON', '[{"status":"closed"},\n{"id" 2}]'],
    ['a list that breaks off', '[{"status":"closed"}'],
    ['text after the list', '[]\n[]'],
    ['null instead of a list', '{"data":null,"error":"forbidden"}'],
    ['groups of findings', '{"findings":{"open":[{}],"closed":[{}]}}'],
  ])('for %s, also without the option', async (_, body) => {
    for (const argv of [GATE, LIST]) {
      const result = await runGate({ body, headers: TYPE }, [...argv, '--json']);
      expect({ code: result.code, stdout: result.stdout }).toEqual({ code: 1, stdout: '' });
      expect(errorOf(result).code).toBe('invalid-response');
    }
  });

  it('for findings of another task, which it names with all other reasons, and how to name the parameter', async () => {
    const body = { data: [{ ...CLOSED, taskId: 't9' }], next: 'x' };
    const argv = ['findings', 'list', '--task', 't1', '--status', 'open'];
    const { code, stderr } = await runGate({ body }, [...argv, '--exit-status']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error: .*taskId.*next=x/m);
    expect(stderr).toContain('orgadm config set wire.findings.task <name>\n');
    expect(await runGate({ body }, argv)).toMatchObject({ code: 0, stderr: expect.stringContaining('taskId') });
  });

  it('with a hint that accepts exactly what has arrived', async () => {
    const { stderr } = await runGate({ body: { data: [], next: 1, 'a b': 2 } });
    expect(stderr).toContain(`orgadm config set wire.findings.ignore next=1 'a b=2'\n`);
    const long = await runGate({ body: { data: [], cursor: 'x'.repeat(2_000) } });
    expect(long.stderr).not.toContain('config set');
  });

  it('as one JSON error after the list with --json', async () => {
    const { code, stdout, stderr } = await runGate({ body: { data: [CLOSED], next: 'x' } }, [...GATE, '--json']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '[]\n' });
    expect(errorOf({ stderr }).code).toBe('incomplete-list');
  });
});

describe('findings list --exit-status exits 7', () => {
  it.each<[string, string[]]>([
    ['is left', GATE],
    ['is left, whatever is printed', [...GATE, '--jq', 'length']],
    ['is left, in silence', [...GATE, '--quiet']],
  ])('if a finding %s, also in a response that may be incomplete', async (_, argv) => {
    expect((await runGate({ body: { data: [{ id: 'f1', status: 'open' }], hasMore: true } }, argv)).code).toBe(7);
  });

  it.each<[string, flags: string[], finding: object, code: number]>([
    ['an unknown status', ['--status', 'closed'], { status: 'reopened' }, 7],
    ['a status that is null', ['--status', 'closed'], { status: null }, 7],
    ['a status that is an object', ['--status', 'closed'], { status: { name: 'closed' } }, 7],
    ['no status', ['--status', 'closed'], {}, 7],
    ['a known status that is not named', ['--status', 'closed'], { status: 'Open' }, 0],
    ['an unknown severity', ['--min-severity', 'high'], { severity: '9.8' }, 7],
    ['no severity', ['--min-severity', 'high'], {}, 7],
    ['a lower severity', ['--min-severity', 'high'], { severity: 'Low' }, 0],
    [
      'a lower severity and an unknown status',
      ['--min-severity=high', '--status=closed'],
      { severity: 'low', status: 'x' },
      0,
    ],
  ])('for a finding with %s', async (_, flags, finding, code) => {
    // The fields exist: a filter by one that no finding has is an error.
    const body = [finding, { status: 'open', severity: 'low' }];
    expect((await runGate({ body }, [...LIST, ...flags, '--exit-status'])).code).toBe(code);
  });
});

describe('findings list --exit-status exits 2, and prints nothing', () => {
  it.each([
    ['a misspelled status', ['--status', 'opne'], [{ status: 'open' }]],
    ['a misspelled status, even if there are no findings', ['--status', 'open,opne'], []],
    ['a field that no finding has', ['--min-severity', 'low'], [{ state: 'open' }]],
  ])('for %s', async (_, flags, body) => {
    const result = await runGate({ body }, [...LIST, ...flags, '--exit-status', '--json']);
    expect({ code: result.code, stdout: result.stdout, error: errorOf(result).code }).toEqual({
      ...{ code: 2, stdout: '', error: 'usage' },
    });
  });

  it("but for a usual status that no finding has, and for the service's own that one has", async () => {
    const body = [{ id: 'a', status: 'resolved' }];
    expect((await runGate({ body: [CLOSED] }, [...LIST, '--status', 'ready_for_review', '--exit-status'])).code).toBe(
      0,
    );
    expect((await runGate({ body }, [...LIST, '--status', 'resolved', '--exit-status'])).code).toBe(7);
  });
});
