import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { main } from '../../../src/main.ts';
import { ROLE } from '../../fixtures/contract/role.ts';
import { memoryHost } from '../../helpers/run-cli.ts';
import { createCommandRunner, expectUsageError } from '../../helpers/service-run.ts';
import { CANARY_KEY } from '../../helpers/test-client.ts';

const cli = createCommandRunner();
const NOT_FOUND = { message: 'Role not found', error: 'Not Found', statusCode: 404 };

describe('orgadm api', () => {
  it.each([
    { argv: ['GET', 'v1/findings', '-f', 'taskId=a&b'], method: 'GET', path: '/v1/findings?taskId=a%26b', body: '' },
    { argv: ['get', '/v1/x?y=1', '-f', 'all=true'], method: 'GET', path: '/v1/x?y=1&all=true', body: '' },
    { argv: ['DELETE', 'v1/roles/rol_1'], method: 'DELETE', path: '/v1/roles/rol_1', body: '' },
    { argv: ['GET', 'v1/x', '--field', 'filter[id]=7'], method: 'GET', path: '/v1/x?filter%5Bid%5D=7', body: '' },
    {
      argv: ['PATCH', 'v1/roles/rol_1', '-f', 'name=7', '-f', 'note=', '-f', '__proto__=7'],
      method: 'PATCH',
      path: '/v1/roles/rol_1',
      body: '{"name":"7","note":"","__proto__":"7"}',
    },
    {
      argv: ['POST', 'v1/x', '--input', '-', '-f', 'dry=1'],
      method: 'POST',
      path: '/v1/x?dry=1',
      body: '{ "raw": 1 }',
    },
  ])('sends the request of $argv', async ({ argv, ...wire }) => {
    const { service, run } = await cli.scripted([{ body: ROLE }]);
    expect(await run(['api', ...argv], { stdin: '{ "raw": 1 }' })).toMatchObject({ code: 0, stderr: '' });
    expect(service.requests).toMatchObject([wire]);
    const headers = service.requests[0]?.headers;
    expect(headers).toMatchObject({ 'x-api-key': CANARY_KEY, accept: 'application/json, */*;q=0.5' });
    expect(headers?.['content-type']).toBe(wire.body === '' ? undefined : 'application/json');
  });

  it('sends the file of --input as the body', async () => {
    const file = cli.file('body.json');
    writeFileSync(file, '{"a":{"b":1}}');
    const { service, run } = await cli.scripted([{ body: {} }]);
    await run(['api', 'PUT', 'v1/x', '--input', file]);
    expect(service.requests).toMatchObject([{ body: '{"a":{"b":1}}' }]);
  });

  it.each([
    { argv: ['GET', 'v1/x'], attempts: 3 },
    { argv: ['HEAD', 'v1/x'], attempts: 3 },
    { argv: ['POST', 'v1/x'], attempts: 1 },
    { argv: ['PUT', 'v1/x'], attempts: 1 },
  ])('makes $attempts attempts of $argv if the service is unavailable', async ({ argv, attempts }) => {
    const { service, run } = await cli.scripted(() => ({ status: 503 }));
    expect((await run(['api', ...argv, '--retries', '2'])).code).toBe(6);
    expect(service.requests).toHaveLength(attempts);
  });
});

describe('what orgadm api prints', () => {
  const get = ['api', 'GET', 'v1/x'];

  it('is the body as it came in a pipe, numbers and white space included', async () => {
    const body = '{ "id": 12345678901234567890,\n "a": 1.10 }';
    const headers = { 'content-type': 'application/json; charset=utf-8' };
    const { run } = await cli.scripted([{ body, headers }]);
    expect((await run(get)).stdout).toBe(`${body}\n`);
  });

  it('is the body as it came under --json, and in each format that the environment sets', async () => {
    const { run } = await cli.scripted(() => ({ body: [{ a: 1 }] }));
    expect((await run([...get, '--json'])).stdout).toBe('[{"a":1}]\n');
    for (const format of ['table', 'json', 'ndjson', 'csv']) {
      expect((await run(get, { env: { ORGADM_OUTPUT: format } })).stdout).toBe('[{"a":1}]\n');
    }
  });

  it('is indented JSON on a terminal', async () => {
    const { run } = await cli.scripted([{ body: { a: [1] } }]);
    expect((await run(get, { columns: 80 })).stdout).toBe('{\n  "a": [\n    1\n  ]\n}\n');
  });

  it('has no control character in JSON, and no text has one on a terminal', async () => {
    const { run } = await cli.scripted([
      { body: '"a\u009b\u202eb"', headers: { 'content-type': 'application/problem+json' } },
      { body: 'red \u001b[31malert\u202e', headers: { 'content-type': 'text/plain' } },
    ]);
    expect((await run(get)).stdout).toBe('"a\\u009b\\u202eb"\n');
    expect((await run(get, { columns: 80 })).stdout).toBe('red \\u001b[31malert\\u202e\n');
  });

  it('prints text that is not JSON byte for byte when piped', async () => {
    const text = 'line 1\r\nline 2 \u001b[0m';
    const { run } = await cli.scripted([{ body: text, headers: { 'content-type': 'text/csv' } }]);
    expect((await run(get)).stdout).toBe(text);
  });

  it('has every byte of a file that is not text', async () => {
    const file = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    const { service } = await cli.scripted([{ body: file, headers: { 'content-type': 'application/pdf' } }]);
    const env = { ORGADM_BASE_URL: service.url, ORGADM_API_KEY: CANARY_KEY };
    const { host, stdout } = memoryHost(cli.file('.'), { env });
    expect(await main(get, host)).toBe(0);
    expect(stdout.bytes).toEqual(file);
  });

  it('never contains the key, which a service may echo', async () => {
    const echo = { key: CANARY_KEY };
    const { run } = await cli.scripted([
      { body: echo, headers: { 'x-echo': CANARY_KEY, 'content-type': 'application/json' } },
      { status: 400, body: echo, headers: { 'x-echo': CANARY_KEY, 'content-type': 'application/json' } },
    ]);
    for (const code of [0, 1]) {
      const result = await run([...get, '--debug']);
      expect(result.code).toBe(code);
      expect(result.stderr).toContain('< x-echo: ***\n');
      expect(result.stdout).toBe('{"key":"***"}\n');
      expect(result.stdout + result.stderr).not.toContain(CANARY_KEY);
    }
  });

  it('prints nothing for a response without a body', async () => {
    const { run } = await cli.scripted([{ status: 204 }, { status: 204 }]);
    expect(await run(['api', 'DELETE', 'v1/x'])).toMatchObject({ code: 0, stdout: '', stderr: '' });
    expect(await run(['api', 'DELETE', 'v1/x', '--jq', '.'])).toMatchObject({ code: 0, stdout: '', stderr: '' });
  });

  it('is filtered by --jq without loss of digits', async () => {
    const { run } = await cli.scripted([
      { body: '{"id":12345678901234567890}', headers: { 'content-type': 'application/json' } },
    ]);
    expect((await run([...get, '--jq', '.id'])).stdout).toBe('12345678901234567890\n');
  });

  it('is converted to CSV by a filter', async () => {
    const { run } = await cli.scripted([{ body: [{ id: 'a', status: 'open' }] }]);
    const filter = '.[] | [.id, .status] | @csv';
    expect((await run([...get, '-r', '--jq', filter])).stdout).toBe('"a","open"\n');
  });
});

describe('an error status', () => {
  it.each([
    [400, 1],
    [401, 4],
    [404, 5],
  ])('prints the body of a %d and exits with %d', async (status, code) => {
    const { run } = await cli.scripted([{ status, body: NOT_FOUND }]);
    const result = await run(['api', 'POST', 'v1/x']);
    expect(result).toMatchObject({ code, stdout: `${JSON.stringify(NOT_FOUND)}\n` });
    expect(result.stderr).toMatch(new RegExp(`^error: .*\\(${status}\\): Role not found\n`));
  });

  it('is not passed to a filter', async () => {
    const { run } = await cli.scripted([{ status: 404, body: NOT_FOUND }]);
    expect(await run(['api', 'GET', 'v1/x', '--jq', '.name'])).toMatchObject({ code: 5, stdout: '' });
  });
});

describe('an invalid command line of orgadm api', () => {
  it.each([
    [['GET', 'https://evil.test/v1'], /^error: the path is a URL\n/],
    [['GET', 'v1/../../x'], /^error: "\." and "\.\." cannot be part/],
    [
      ['v1/x', 'GET'],
      /^error: "v1\/x" is not a request method\nhint: Use one of GET, HEAD, POST, PUT, PATCH, DELETE\.\n$/,
    ],
    [['CONNECT', 'v1/x'], /^error: "CONNECT" is not a request method/],
    [['OPTIONS', 'v1/x'], /^error: "OPTIONS" is not a request method/],
    [['GET', 'v1/x', '--input', '-'], /^error: --input: a GET has no body\n/],
    [
      ['GET', 'v1/x', '-f', 'a'],
      /^error: "a" is not of the form <name>=<value>\nhint: For example: -f scope=people\n$/,
    ],
    [
      ['POST', 'v1/x', '-f', 'a[b]=1'],
      /^error: "a\[b\]" cannot be a field of the body\nhint: To send nested values, use --input\.\n$/,
    ],
    [
      ['POST', 'v1/x', '-f', 'a=1', '-f', 'a=2'],
      /^error: the field "a" appears more than once\nhint: To send a list, use --input\.\n$/,
    ],
    [['POST', 'v1/x', '--input', '/nowhere/body'], /^error: --input: .* \/nowhere\/body: .* \(ENOENT\)\n/],
    [
      ['POST', 'v1/x', '--input', '-', '--key-file', '-'],
      /^error: orgadm can read only one value from standard input\n/,
    ],
  ])('is rejected before anything is sent: %j', async (argv, stderr) => {
    const { service, run } = await cli.scripted([]);
    expect(await run(['api', ...argv])).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(stderr) });
    expect(service.requests).toEqual([]);
  });

  it.each(['table', 'csv', 'ndjson'])('is rejected under -o %s, and --jq is named', async (format) => {
    const result = await cli.plain(['api', 'GET', 'v1/x', '-o', format]);
    const error = {
      message: `api cannot be used with --output ${format}`,
      hint: "orgadm prints the response as it is. To select or convert fields, use --jq: -r --jq '.[] | [.id, .status] | @csv'",
    };
    if (format !== 'ndjson') return expectUsageError(result, error.message, error.hint);
    expect(JSON.parse(result.stderr).error).toEqual({ code: 'usage', ...error });
    expect(result).toMatchObject({ code: 2, stdout: '' });
  });

  it.each([
    [[], "missing required argument 'method'"],
    [['GET'], "missing required argument 'path'"],
    [['GET', 'v1/a', 'v1/b'], 'too many arguments …'],
  ])('is rejected with the words %j', async (words, message) => {
    expectUsageError(await cli.plain(['api', ...words]), message, '…');
  });
});
