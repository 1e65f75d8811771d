import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { main } from '../../../src/main.ts';
import { API_KEY } from '../../helpers/api-key.ts';
import { errorOf } from '../../helpers/report.ts';
import { memoryHost } from '../../helpers/run-cli.ts';
import { createCommandRunner, expectUsageError } from '../../helpers/service-run.ts';

const cli = createCommandRunner();
const GET = ['api', 'GET', 'v1/x'];
const JSON_TYPE = { 'content-type': 'application/json' };

describe('the request of orgadm api', () => {
  // biome-ignore format: a table
  it.each<[argv: string[], method: string, path: string, body: string]>([
    [['GET', 'v1/roles'], 'GET', '/v1/roles', ''],
    [['get', '/v1/roles'], 'GET', '/v1/roles', ''],
    [['GET', 'v1/x?y=1', '-f', 'all=true'], 'GET', '/v1/x?y=1&all=true', ''],
    [['GET', 'v1/x', '-f', 'ids[]=a&b', '--field', 'ids[]=c d'], 'GET', '/v1/x?ids%5B%5D=a%26b&ids%5B%5D=c%20d', ''],
    [['GET', 'v1/roles/rol 1'], 'GET', '/v1/roles/rol%201', ''],
    [['GET', 'v1/roles/a%2Fb'], 'GET', '/v1/roles/a%2Fb', ''],
    [['GET', 'v1/find?next=../x?y'], 'GET', '/v1/find?next=../x?y', ''],
    [['DELETE', 'v1/roles/rol_1'], 'DELETE', '/v1/roles/rol_1', ''],
    [['PATCH', 'v1/x', '-f', 'name=7', '-f', 'note=', '-f', '__proto__=7'], 'PATCH', '/v1/x', '{"name":"7","note":"","__proto__":"7"}'],
    [['POST', 'v1/x', '--input', '-', '-f', 'dry=1'], 'POST', '/v1/x?dry=1', '{ "raw": 1 }'],
  ])('of %j is %s %s', async (argv, method, path, body) => {
    const { service, run } = await cli.scripted([{ body: {} }]);
    const env = { ORGADM_BASE_URL: `${service.url}/org/a` };
    expect(await run(['api', ...argv], { env, stdin: '{ "raw": 1 }' })).toMatchObject({ code: 0, stderr: '' });
    expect(service.requests).toMatchObject([{ method, path: `/org/a${path}`, body }]);
    const { headers = {} } = service.requests[0] ?? {};
    expect(headers).toMatchObject({ 'x-api-key': API_KEY, accept: 'application/json, */*;q=0.5' });
    expect(headers['content-type']).toBe(body === '' ? undefined : 'application/json');
  });

  it('has the file of --input as its body', async () => {
    const file = cli.file('body.json');
    writeFileSync(file, '{"a":{"b":1}}');
    const { service, run } = await cli.scripted([{ body: {} }]);
    await run(['api', 'PUT', 'v1/x', '--input', file]);
    expect(service.requests).toMatchObject([{ body: '{"a":{"b":1}}' }]);
  });

  it.each([
    ['GET', 3],
    ['HEAD', 3],
    ['POST', 1],
    ['PUT', 1],
    ['PATCH', 1],
    ['DELETE', 1],
  ])('%s is sent %i times with --retries 2 if the service is unavailable', async (method, attempts) => {
    const { service, run } = await cli.scripted(() => ({ status: 503 }));
    expect((await run(['api', method, 'v1/x', '--retries', '2'])).code).toBe(6);
    expect(service.requests).toHaveLength(attempts);
  });
});

describe('what orgadm api prints', () => {
  it('is JSON as it came in a pipe, in each format of the environment, and indented JSON on a terminal', async () => {
    const body = '{ "id": 12345678901234567890,\n "a": [1.10] }';
    const { run } = await cli.scripted(() => ({ body, headers: JSON_TYPE }));
    expect((await run([...GET, '--json'])).stdout).toBe(`${body}\n`);
    for (const ORGADM_OUTPUT of ['', 'table', 'json', 'ndjson', 'csv']) {
      expect((await run(GET, { env: { ORGADM_OUTPUT } })).stdout).toBe(`${body}\n`);
    }
    expect((await run(GET, { columns: 80 })).stdout).toMatch(/^\{\n {2}"id": .*,\n {2}"a": \[\n {4}1/);
  });

  it('has no control character in JSON, and no text has one on a terminal', async () => {
    const { run } = await cli.scripted([
      { body: '"a\u009b\u202eb"', headers: { 'content-type': 'application/problem+json' } },
      { body: 'red \u001b[31malert\u202e', headers: { 'content-type': 'text/plain' } },
    ]);
    expect((await run(GET)).stdout).toBe('"a\\u009b\\u202eb"\n');
    expect((await run(GET, { columns: 80 })).stdout).toBe('red \\u001b[31malert\\u202e\n');
  });

  it('is every byte of a file in a pipe', async () => {
    const file = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    const { service } = await cli.scripted([{ body: file, headers: { 'content-type': 'application/pdf' } }]);
    const env = { ORGADM_BASE_URL: service.url, ORGADM_API_KEY: API_KEY };
    const { host, stdout } = memoryHost(cli.file('.'), { env });
    expect(await main(GET, host)).toBe(0);
    expect(stdout.bytes).toEqual(file);
  });

  it('is nothing for a response without a body', async () => {
    const { run } = await cli.scripted([{ status: 204 }, { status: 204 }]);
    expect(await run(['api', 'DELETE', 'v1/x'])).toMatchObject({ code: 0, stdout: '', stderr: '' });
    expect(await run(['api', 'DELETE', 'v1/x', '--jq', '.'])).toMatchObject({ code: 0, stdout: '', stderr: '' });
  });

  it('is an error if a filter has no document', async () => {
    const { run } = await cli.scripted([{ status: 204 }]);
    const result = await run([...GET, '--jq', '.']);
    expect([result.code, result.stdout, errorOf(result).code]).toEqual([1, '', 'jq-failed']);
  });

  it('is what arrived, and an error, if JSON without a length ends too early', async () => {
    const { run } = await cli.scripted([
      { raw: 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n[{"id":1},', after: 'end' },
    ]);
    const result = await run([...GET, '--json']);
    expect([result.code, result.stdout, errorOf(result).code]).toEqual([6, '[{"id":1},\n', 'interrupted']);
  });

  it('is filtered by --jq, as CSV, too', async () => {
    const { run } = await cli.scripted(() => ({ body: '[{"id":12345678901234567890}]', headers: JSON_TYPE }));
    expect((await run([...GET, '--jq', '.[].id'])).stdout).toBe('12345678901234567890\n');
    expect((await run([...GET, '-r', '--jq', '.[] | [.id] | @csv'])).stdout).toBe('12345678901234567890\n');
  });

  it('is the body of an error, too, but not for a filter', async () => {
    const body = { message: 'Role not found', statusCode: 404 };
    const { run } = await cli.scripted([
      { status: 404, body },
      { status: 404, body },
    ]);
    const { code, stdout, stderr } = await run(['api', 'POST', 'v1/x']);
    expect({ code, stdout }).toEqual({ code: 5, stdout: `${JSON.stringify(body)}\n` });
    expect(stderr).toMatch(/^error: .*\(404\): Role not found\n/);
    expect(await run([...GET, '--jq', '.name'])).toMatchObject({ code: 5, stdout: '' });
  });
});

describe('orgadm api', () => {
  type Row = [argv: string[], message: string, hint: string | undefined];

  // biome-ignore format: a table
  it.each<Row>([
    [['GET', 'https://a.test/v1'], 'the path is a URL', 'Pass the path below the base URL, …'],
    [['GET', 'v1/../x'], '"." and ".." cannot be part of a request path', '…'],
    [['GET', 'v1\\..\\x'], 'the path contains a backslash, a #, or a control character', 'Percent-encode it.'],
    ...['//evil.test/v1', '..', 'v1/%2e%2E/x', '../../b/v1', '\\\\evil.test', 'v1#x', 'v1\n', '\tv1'].map((path): Row => [['GET', path], '…', '…']),
    [['DELETE', 'v1/people/'], 'a part of the path is empty: v1/people/', '…'],
    [['DELETE', 'v1//people'], '… v1//people', '…'],
    [['v1/x', 'GET'], '"v1/x" is not a request method', 'Use one of GET, HEAD, POST, PUT, PATCH, DELETE.'],
    [['CONNECT', 'v1/x'], '"CONNECT" …', '…'],
    [['GET', 'v1/x', '--input', '-'], '--input: a GET has no body', undefined],
    [['GET', 'v1/x', '-f', 'a'], '"a" is not of the form <name>=<value>', 'For example: -f scope=people'],
    [['POST', 'v1/x', '-f', 'a[b]=1'], '"a[b]" cannot be a field of the body', 'To send nested values, use --input.'],
    [['POST', 'v1/x', '-f', 'a=1', '-f', 'a=2'], 'the field "a" appears more than once', 'To send a list, use --input.'],
    [['POST', 'v1/x', '--input', '/nowhere/body'], '--input: … /nowhere/body: … (ENOENT)', undefined],
    [['POST', 'v1/x', '--input', '-'], '--input: standard input is empty', '…'],
    [['POST', 'v1/x', '--input', '-', '--key-file', '-'], 'orgadm can read only one value from standard input', undefined],
    [['GET', 'v1/x', '-o', 'csv'], 'api cannot be used with --output csv', '… use --jq: …'],
  ])('sends nothing for %j', async (argv, message, hint) => {
    const { run } = await cli.scripted([]);
    expectUsageError(await run(['api', ...argv]), message, hint);
  });
});
