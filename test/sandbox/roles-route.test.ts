import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createTestClock } from '../helpers/test-clock.ts';
import { openSandbox } from './open-sandbox.ts';

const NOON = Date.parse('2026-03-01T12:00:00.000Z');

describe('PATCH /v1/roles/{roleId}', () => {
  it('responds with 200 and the role, without its obligations', async () => {
    const { send } = await openSandbox({ clock: createTestClock(NOON) });
    const { status, body } = await send('PATCH', '/v1/roles/rol_custom_1', {
      name: 'Control Owner',
      permissions: { control: ['read', 'update'], policy: ['read'] },
      obligations: { compliance: true },
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      id: 'rol_custom_1',
      name: 'Control Owner',
      permissions: { control: ['read', 'update'], policy: ['read'] },
      isBuiltIn: false,
      createdAt: '2025-02-03T09:00:00.000Z',
      updatedAt: '2026-03-01T12:00:00.000Z',
    });
  });

  it('replaces all permissions and obligations, and keeps fields that are not sent', async () => {
    const { send, stateFile } = await openSandbox();
    await send('PATCH', '/v1/roles/rol_custom_1', { permissions: { risk: ['delete'] } });
    await send('PATCH', '/v1/roles/rol_custom_1', { obligations: { training: false } });
    const { roles } = JSON.parse(readFileSync(stateFile, 'utf8')) as { roles: object[] };
    expect(roles[0]).toMatchObject({ name: 'Risk Reviewer', permissions: { risk: ['delete'] } });
    expect(roles[0]).toHaveProperty('obligations', { training: false });
  });

  it.each([
    [{ name: 'R' }, ['name must have a length of at least 2']],
    [{ name: 'R'.repeat(51) }, ['name must have a length of at most 50']],
    [{ permissions: null }, ['permissions must be of type record']],
    [
      { permissions: { risk: ['write'] } },
      ['permissions.risk.0 must be one of the following values: read, update, delete'],
    ],
    [{ permissions: { budget: ['read'] } }, ['permissions.property budget should not exist']],
  ])('rejects %j', async (change, message) => {
    const { send } = await openSandbox();
    const { status, body } = await send('PATCH', '/v1/roles/rol_custom_1', change);
    expect(status).toBe(400);
    expect(body).toEqual({ message, error: 'Bad Request', statusCode: 400 });
  });

  it('rejects a permission that the key does not have, and changes nothing', async () => {
    const { send } = await openSandbox();
    const change = { name: 'Remover', permissions: { control: ['read', 'delete'] } };
    const { status, body } = await send('PATCH', '/v1/roles/rol_custom_1', change);
    expect(status).toBe(403);
    expect(body).toEqual({
      message: "Cannot grant 'control:delete' permission - you don't have this permission",
      error: 'Forbidden',
      statusCode: 403,
    });
    expect((await send('PATCH', '/v1/roles/rol_custom_1', {})).body).toHaveProperty('name', 'Risk Reviewer');
  });

  it('distinguishes an unknown role from a built-in one', async () => {
    const { send } = await openSandbox();
    expect((await send('PATCH', '/v1/roles/rol_unknown', {})).body).toEqual({
      message: 'Role rol_unknown not found',
      error: 'Not Found',
      statusCode: 404,
    });
    expect((await send('PATCH', '/v1/roles/rol_admin', {})).body).toEqual({
      message: 'Cannot modify built-in roles',
      error: 'Bad Request',
      statusCode: 400,
    });
  });

  it('decodes the id in the path', async () => {
    const { send } = await openSandbox();
    expect((await send('PATCH', '/v1/roles/rol%2Fx', {})).body).toHaveProperty('message', 'Role rol/x not found');
  });
});
