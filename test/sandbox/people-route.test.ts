import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createTestClock } from '../helpers/test-clock.ts';
import { openSandbox } from './open-sandbox.ts';

const NOON = Date.parse('2026-03-01T12:00:00.000Z');
const PATH = '/v1/people/bulk';

describe('POST /v1/people/bulk', () => {
  it('adds valid entries, reports the others by zero-based index, and names the caller', async () => {
    const { send } = await openSandbox({ clock: createTestClock(NOON) });
    const { status, body } = await send('POST', PATH, {
      members: [
        { userId: 'usr_0001', role: 'admin' },
        { userId: 'usr_0100', role: 'member', department: 'it', isActive: false, deviceMgmtLabelId: 42 },
        { userId: 'usr_9999', role: 'member' },
      ],
    });
    expect(status).toBe(201);
    expect(body).toEqual({
      created: [
        {
          id: 'mem_00013',
          organizationId: 'org_sandbox',
          userId: 'usr_0100',
          role: 'member',
          createdAt: '2026-03-01T12:00:00.000Z',
          department: 'it',
          isActive: false,
          deviceMgmtLabelId: 42,
          user: {
            id: 'usr_0100',
            name: 'Соня Thórsson',
            email: 'соня.thorsson@lab.example.com',
            emailVerified: true,
            image: 'https://images.example.com/usr_0100.png',
            createdAt: '2024-04-16T09:00:00.000Z',
            updatedAt: '2024-05-16T09:00:00.000Z',
            lastLogin: '2024-06-25T09:00:00.000Z',
          },
        },
      ],
      errors: [
        {
          index: 0,
          userId: 'usr_0001',
          error: 'User anna.abbott@example.com is already a member of this organization',
        },
        { index: 2, userId: 'usr_9999', error: 'User usr_9999 not found' },
      ],
      summary: { total: 3, successful: 1, failed: 2 },
      authType: 'api-key',
      authenticatedUser: { id: 'usr_0001', email: 'anna.abbott@example.com' },
    });
  });

  it('knows the users usr_0001 to usr_5000, and no others', async () => {
    const { send } = await openSandbox();
    const members = ['usr_0000', 'usr_0013', 'usr_5000', 'usr_5001', 'usr_1e03'].map((userId) => {
      return { userId, role: 'member' };
    });
    expect((await send('POST', PATH, { members })).body).toMatchObject({
      created: [{ user: { id: 'usr_0013' } }, { user: { id: 'usr_5000' } }],
      errors: [{ userId: 'usr_0000' }, { userId: 'usr_5001' }, { userId: 'usr_1e03' }],
    });
  });

  it('does not require department and isActive, and treats null as absent', async () => {
    const { send } = await openSandbox();
    const entry = { userId: 'usr_0100', role: 'auditor', department: null, isActive: null, deviceMgmtLabelId: null };
    const { body } = await send('POST', PATH, { members: [entry] });
    expect(body).toMatchObject({ created: [{ department: 'none', isActive: true }] });
    expect(body).not.toHaveProperty('created.0.deviceMgmtLabelId');
  });

  it('rejects the entire request for a malformed entry, names each invalid field, and creates nothing', async () => {
    const { send } = await openSandbox();
    const good = { userId: 'usr_0100', role: 'member' };
    const { status, body } = await send('POST', PATH, {
      members: [
        good,
        { userId: 'usr_0101', role: 'member', isActive: 'false', deviceMgmtLabelId: 1.5 },
        { userId: '', role: 'chief' },
        { userId: 'usr_0103', email: 'a@example.com' },
      ],
    });
    expect(status).toBe(400);
    expect(body).toEqual({
      message: [
        'members.1.isActive must be of type boolean',
        'members.1.deviceMgmtLabelId must be of type int',
        'members.2.userId should not be empty',
        'members.2.role must be one of the following values: owner, admin, auditor, employee, contractor, member',
        'members.3.role should not be empty',
        'members.3.property email should not exist',
      ],
      error: 'Bad Request',
      statusCode: 400,
    });
    expect((await send('POST', PATH, { members: [good] })).body).toMatchObject({ summary: { successful: 1 } });
  });

  it.each([
    [{ members: [] }, ['members must have a length of at least 1']],
    [{ members: [{ userId: 'usr_0100', role: 'member' }], dryRun: true }, ['property dryRun should not exist']],
    [[], ['the body must be of type object']],
  ])('rejects %j', async (request, message) => {
    const { send } = await openSandbox();
    const { body } = await send('POST', PATH, request);
    expect(body).toEqual({ message, error: 'Bad Request', statusCode: 400 });
  });

  it('accepts 1,000 entries and rejects 1,001', async () => {
    const { send } = await openSandbox();
    const members = Array.from({ length: 1001 }, (_, index) => ({ userId: `usr_${1000 + index}`, role: 'member' }));
    expect((await send('POST', PATH, { members })).body).toEqual({
      message: 'Maximum 1000 members allowed per bulk request',
      error: 'Bad Request',
      statusCode: 400,
    });
    const { body } = await send('POST', PATH, { members: members.slice(1) });
    expect(body).toMatchObject({ summary: { total: 1000, successful: 1000, failed: 0 } });
  });

  it('adds a user twice who occurs twice in one request', async () => {
    const { send } = await openSandbox();
    const entry = { userId: 'usr_0100', role: 'member' };
    const { body } = await send('POST', PATH, { members: [entry, entry] });
    expect(body).toMatchObject({ created: [{ id: 'mem_00013' }, { id: 'mem_00014' }], errors: [] });
  });

  it('adds a user twice for a request during another one, but not after it', async () => {
    const clock = createTestClock(NOON);
    const { send } = await openSandbox({ clock, faults: 'latency=1s' });
    const request = { members: [{ userId: 'usr_0100', role: 'member' }] };
    const both = [send('POST', PATH, request), send('POST', PATH, request)];
    while (clock.waiting().length < 2) await setImmediate();
    await clock.advance(1_000);
    const created = (await Promise.all(both)).map(({ body }) => body);
    expect(created).toMatchObject([{ created: [{ userId: 'usr_0100' }] }, { created: [{ userId: 'usr_0100' }] }]);

    const third = send('POST', PATH, request);
    await clock.untilWaiting();
    await clock.advance(1_000);
    expect((await third).body).toMatchObject({
      created: [],
      errors: [{ error: 'User соня.thorsson@lab.example.com is already a member of this organization' }],
    });
  });
});
