import { describe, expect, it } from 'vitest';
import { parseVariants } from '../../src/sandbox/behaviors.ts';
import { UsageError } from '../../src/util/errors.ts';
import { openSandbox } from './open-sandbox.ts';

const BULK = '/v1/people/bulk';
const ROLE = '/v1/roles/rol_custom_1';
const entries = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ userId: `usr_${1000 + index}`, role: 'member' }));

describe('parseVariants', () => {
  it('parses behaviors, and uses the defaults for the others', () => {
    expect(parseVariants('index-base=1,batch-limit=100,envelope=data')).toMatchObject({
      'index-base': '1',
      'batch-limit': 100,
      'batch-limit-status': '400',
      envelope: 'data',
      'error-shape': 'nest',
    });
  });

  it.each([
    ['index-base=2', '"index-base=2" is not a valid variant', 'index-base requires 0, 1.'],
    ['batch-limit=0', '"batch-limit=0" is not a valid variant', 'a number of entries, at least 1'],
    ['error-shape=soap', '"error-shape=soap" is not a valid variant', 'nest, problem, nested, string, html, empty'],
    ['envelope=a b', '"envelope=a b" is not a valid variant', 'the key of the findings'],
    ['indexbase=1', '"indexbase=1" is not a variant', 'Allowed: index-base, batch-limit, '],
  ])('rejects %s', (text, message, hint) => {
    expect(() => parseVariants(text)).toThrow(
      expect.objectContaining({ name: UsageError.name, message, hint: expect.stringContaining(hint) }),
    );
  });
});

describe('variants of the bulk operation', () => {
  it('index-base=1 counts entries from 1', async () => {
    const { send } = await openSandbox({ variants: 'index-base=1' });
    const { body } = await send('POST', BULK, { members: [{ userId: 'usr_9999', role: 'member' }] });
    expect(body).toMatchObject({ errors: [{ index: 1 }] });
  });

  it.each([
    [
      'batch-limit=2',
      400,
      { message: 'Maximum 2 members allowed per bulk request', error: 'Bad Request', statusCode: 400 },
    ],
    [
      'batch-limit=2,batch-limit-status=413',
      413,
      { message: 'Maximum 2 members allowed per bulk request', statusCode: 413 },
    ],
    [
      'batch-limit=2,batch-limit-status=422,batch-limit-message=vague',
      422,
      { message: 'request entity too large', error: 'Unprocessable Entity', statusCode: 422 },
    ],
  ])('%s rejects the third entry', async (variants, status, expected) => {
    const { send } = await openSandbox({ variants });
    expect((await send('POST', BULK, { members: entries(2) })).status).toBe(201);
    expect(await send('POST', BULK, { members: entries(3) })).toMatchObject({ status, body: expected });
  });

  it('entry-rejection=entry rejects a malformed entry alone', async () => {
    const { send } = await openSandbox({ variants: 'entry-rejection=entry' });
    const { status, body } = await send('POST', BULK, {
      members: [
        { userId: 'usr_0100', email: 'a@example.com' },
        { role: 'member' },
        { userId: 'usr_0101', role: 'member' },
      ],
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      created: [{ userId: 'usr_0101' }],
      summary: { total: 3, successful: 1, failed: 2 },
    });
    expect(body).toHaveProperty('errors', [
      { index: 0, userId: 'usr_0100', error: 'role should not be empty; property email should not exist' },
      { index: 1, error: 'userId should not be empty' },
    ]);
  });

  it('label-name=fleetLabelId accepts and returns the device label only by that name', async () => {
    const { send } = await openSandbox({ variants: 'label-name=fleetLabelId' });
    const entry = { userId: 'usr_0100', role: 'member' };
    expect((await send('POST', BULK, { members: [{ ...entry, deviceMgmtLabelId: 4 }] })).body).toMatchObject({
      message: ['members.0.property deviceMgmtLabelId should not exist'],
    });
    const { body } = await send('POST', BULK, { members: [{ ...entry, fleetLabelId: 4 }] });
    expect(body).toHaveProperty('created.0.fleetLabelId', 4);
    expect(body).not.toHaveProperty('created.0.deviceMgmtLabelId');
  });

  it('authenticated-user=no omits the caller', async () => {
    const { send } = await openSandbox({ variants: 'authenticated-user=no' });
    const { body } = await send('POST', BULK, { members: entries(1) });
    expect(body).toMatchObject({ authType: 'api-key' });
    expect(body).not.toHaveProperty('authenticatedUser');
  });

  it.each([200, 201, 207])('success-status=%i is the status of both writes', async (status) => {
    const { send } = await openSandbox({ variants: `success-status=${status}` });
    expect((await send('POST', BULK, { members: entries(1) })).status).toBe(status);
    expect((await send('PATCH', ROLE, {})).status).toBe(status);
    expect((await send('GET', '/v1/findings?scope=people')).status).toBe(200);
  });

  it('success-status=204 has no body', async () => {
    const { send } = await openSandbox({ variants: 'success-status=204' });
    const { status, text, headers } = await send('PATCH', ROLE, {});
    expect({ status, text, type: headers.get('content-type') }).toEqual({ status: 204, text: '', type: null });
  });
});

describe('variants of the other operations', () => {
  it('echo-obligations=yes returns the obligations of the role', async () => {
    const { send } = await openSandbox({ variants: 'echo-obligations=yes' });
    expect((await send('PATCH', ROLE, {})).body).toHaveProperty('obligations', { compliance: true });
  });

  it.each([
    ['boolean', 'misconfigured', { misconfigured: true }],
    ['boolean', 'unreachable', { misconfigured: null }],
    ['object', 'misconfigured', { misconfigured: { misconfigured: true } }],
    ['object', 'unreachable', { misconfigured: null }],
    ['null', 'misconfigured', { misconfigured: null }],
  ])('misconfigured=%s returns its own value for %s.example.com', async (variant, name, expected) => {
    const { send } = await openSandbox({ variants: `misconfigured=${variant}` });
    const { body } = await send('GET', `/v1/trust-portal/domain/status?domain=${name}.example.com`);
    expect(body).toMatchObject(expected);
  });

  it('misconfigured=absent omits it', async () => {
    const { send } = await openSandbox({ variants: 'misconfigured=absent' });
    const { body } = await send('GET', '/v1/trust-portal/domain/status?domain=trust.example.com');
    expect(body).toEqual({ domain: 'trust.example.com', verified: true, cnameTarget: 'cname.hosting.example.net.' });
  });

  it('envelope=data wraps the findings', async () => {
    const { send } = await openSandbox({ variants: 'envelope=data' });
    const { body } = await send('GET', '/v1/findings?scope=people');
    expect(body).toMatchObject({ data: [{ scope: 'people' }, { scope: 'people' }, { scope: 'people' }], count: 3 });
  });

  it.each([
    ['no-selector=all', '', 58],
    ['unknown-task=empty', '?taskId=tsk_9999', 0],
    ['ignore-scope=yes', '?scope=people', 58],
    ['ignore-scope=yes', '?taskId=tsk_0001&scope=people', 5],
  ])('%s responds to "%s"', async (variants, query, count) => {
    const { send } = await openSandbox({ variants });
    const { status, body } = await send('GET', `/v1/findings${query}`);
    expect(status).toBe(200);
    expect(body).toHaveLength(count);
  });
});

describe('error-shape', () => {
  const rejected = 'Task tsk_9999 not found';

  it.each([
    [
      'problem',
      'application/problem+json',
      JSON.stringify({ type: 'about:blank', title: 'Not Found', status: 404, detail: rejected }),
    ],
    ['nested', 'application/json; charset=utf-8', JSON.stringify({ error: { code: 'not_found', message: rejected } })],
    ['string', 'application/json; charset=utf-8', JSON.stringify(rejected)],
    ['empty', null, ''],
  ])('writes an error as %s', async (shape, contentType, expected) => {
    const { send } = await openSandbox({ variants: `error-shape=${shape}` });
    const { status, headers, text } = await send('GET', '/v1/findings?taskId=tsk_9999');
    expect(status).toBe(404);
    expect(headers.get('content-type')).toBe(contentType);
    expect(text).toBe(expected);
  });

  it('responds with a page of a gateway for html', async () => {
    const { send } = await openSandbox({ variants: 'error-shape=html' });
    const { status, headers, text } = await send('GET', '/v1/findings?taskId=tsk_9999');
    expect({ status, type: headers.get('content-type') }).toEqual({ status: 404, type: 'text/html' });
    expect(text).toContain('<title>404 Not Found</title>');
  });

  it('joins several messages in a shape that has one', async () => {
    const { send } = await openSandbox({ variants: 'error-shape=nested' });
    const { body } = await send('POST', BULK, { members: [{}] });
    expect(body).toHaveProperty(
      'error.message',
      'members.0.userId should not be empty; members.0.role should not be empty',
    );
  });
});
