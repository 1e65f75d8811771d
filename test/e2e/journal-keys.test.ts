import { describe, expect, it } from 'vitest';
import { type CliResult, runCli, temporaryCliDirectory } from '../helpers/run-cli.ts';
import { users, writeList } from './journal-files.ts';
import { counts, errorOf, reportOf } from './journal-report.ts';
import { type BulkRequest, type PeopleService, type Step, startPeopleService } from './journal-service.ts';

const folder = temporaryCliDirectory();
const CHANGED = 'the API key has changed since this run was started';

function run(list: string, service: PeopleService, key: string, more: readonly string[] = []): Promise<CliResult> {
  const sending = ['--batch-size', '3', '--concurrency', '4', '--quiet-period', '1ms', '--request-lifetime', '1ms'];
  const format = more.includes('-o') ? [] : ['--json'];
  const args = ['people', 'bulk-add', list, '--base-url', service.url, ...sending, ...format, ...more];
  return runCli(folder.path, args, { env: { ORGADM_API_KEY: key } });
}

const forbidden: Step = { status: 403, body: { message: 'Insufficient permissions', statusCode: 403 } };

/** A run of twelve rows whose key lost its permission after the first three. */
async function runWithRevokedKey(): Promise<{ list: string; service: PeopleService; sizes: number[] }> {
  const list = writeList(folder.path, users(12));
  const service = await startPeopleService(({ number }) => (number > 1 ? forbidden : 'respond'));
  const first = await run(list, service, 'key_old', ['--concurrency', '1']);
  expect({ code: first.code, ...reportOf(first).summary }).toMatchObject({ code: 4, created: 3, unsent: 9 });
  const sizes: number[] = [];
  return { list, service, sizes };
}

/** Records how many rows each request has. */
function recordSizes(service: PeopleService, sizes: number[], step: (request: BulkRequest) => Step = () => 'respond') {
  service.step = (request) => {
    sizes.push(request.userIds.length);
    return step(request);
  };
}

const NOT_VERIFIED = {
  code: 'other-organization',
  message: 'no response showed that the API key belongs to organization org_1, in which this run was started',
  hint: 'Nothing further was sent. Continue with --resume and a key of org_1, or start over with --restart.',
};

const existing = (userIds: readonly string[]) =>
  userIds.map((userId, index) => ({ index, userId, error: `User ${userId} is already a member of this organization` }));

const memberOf = (organizationId: string, userId: string) => ({ id: `mem_${userId}`, organizationId, userId });

describe('--resume with a rotated key', () => {
  it('continues the run, reports that the key has changed, and sends one row alone first', async () => {
    const { list, service, sizes } = await runWithRevokedKey();
    recordSizes(service, sizes);
    const result = await run(list, service, 'key_new', ['--resume']);
    expect({ code: result.code, ...reportOf(result).summary }).toEqual({
      code: 0,
      ...counts({ total: 12, created: 12 }),
    });
    expect(result.stderr).toContain(
      `${CHANGED}: one row is sent first, to check that the key belongs to organization org_1\n`,
    );
    expect(sizes[0]).toBe(1);
    expect(sizes.toSorted()).toEqual([1, 2, 3, 3]);
    expect(users(3).map((id) => service.sends.get(id))).toEqual([1, 1, 1]);
  });

  it('checks a new key once, and never the first key', async () => {
    const { list, service, sizes } = await runWithRevokedKey();
    recordSizes(service, sizes, () => (sizes.length > 1 ? forbidden : 'respond'));
    expect((await run(list, service, 'key_new', ['--resume', '--concurrency', '1'])).code).toBe(4);
    recordSizes(service, sizes);
    const again = await run(list, service, 'key_new', ['--resume', '--concurrency', '1']);
    expect(again.stderr).not.toContain(CHANGED);
    expect({ code: again.code, sizes }).toEqual({ code: 0, sizes: [1, 2, 3, 3, 2] });
  });

  it('stops after that row if the key is of another organization, before anything else is sent', async () => {
    const { list, service, sizes } = await runWithRevokedKey();
    recordSizes(service, sizes, ({ userIds }) => ({
      status: 201,
      body: { created: userIds.map((userId) => memberOf('org_2', userId)), errors: [] },
    }));
    const result = await run(list, service, 'key_elsewhere', ['--resume']);
    expect(result.code).toBe(1);
    expect(errorOf(result).code).toBe('other-organization');
    expect(sizes).toEqual([1]);
    expect(reportOf(result).summary).toMatchObject({ created: 3, failed: 1, unsent: 8 });
    // The check is not over: the next process makes it again.
    const next = await run(list, service, 'key_elsewhere', ['--resume']);
    expect({ code: next.code, sizes }).toEqual({ code: 1, sizes: [1, 1] });
  });

  it('reports the person it added there as failed, and exits 1, also when the right key sends the others', async () => {
    const { list, service, sizes } = await runWithRevokedKey();
    recordSizes(service, sizes, ({ userIds }) => ({
      status: 201,
      body: { created: userIds.map((userId) => memberOf('org_2', userId)), errors: [] },
    }));
    await run(list, service, 'key_elsewhere', ['--resume']);
    recordSizes(service, sizes);
    for (const _ of ['continued', 'reported again']) {
      const result = await run(list, service, 'key_old', ['--resume']);
      expect({ code: result.code, ...reportOf(result).summary }).toMatchObject({ code: 1, created: 11, failed: 1 });
      expect(errorOf(result).code).toBe('other-organization');
      expect(reportOf(result).rows.filter(({ state }) => state === 'failed')).toMatchObject([
        { userId: 'usr_004', error: 'added to organization org_2, not to org_1' },
      ]);
    }
  });

  it('does not report rows of unknown outcome as recovered, because they are members of that organization', async () => {
    const list = writeList(folder.path, users(8));
    const service = await startPeopleService(({ number }) =>
      number > 1 ? { status: 500, body: { message: 'Internal server error', statusCode: 500 } } : 'respond',
    );
    const first = await run(list, service, 'key_old', ['--concurrency', '1', '--no-confirm']);
    expect(reportOf(first).summary).toMatchObject({ created: 3, unknown: 5 });
    const sizes: number[] = [];
    recordSizes(service, sizes, ({ userIds }) => ({ status: 201, body: { created: [], errors: existing(userIds) } }));
    const wrong = await run(list, service, 'key_elsewhere', ['--resume']);
    expect({ code: wrong.code, sizes, ...reportOf(wrong).summary }).toMatchObject({
      code: 1,
      sizes: [1, 1, 1],
      recovered: 0,
      unknown: 5,
    });
    expect(errorOf(wrong)).toEqual(NOT_VERIFIED);
    recordSizes(service, sizes);
    const right = await run(list, service, 'key_old', ['--resume']);
    expect({ code: right.code, ...reportOf(right).summary }).toEqual({ code: 0, ...counts({ total: 8, created: 8 }) });
  });

  it('reports that a row of unknown outcome may be in both organizations', async () => {
    const list = writeList(folder.path, users(4));
    const service = await startPeopleService(({ number }) =>
      number > 1 ? { status: 500, body: { message: 'Internal server error', statusCode: 500 } } : 'respond',
    );
    await run(list, service, 'key_old', ['--no-confirm']);
    recordSizes(service, [], ({ userIds }) => ({
      status: 201,
      body: { created: userIds.map((userId) => memberOf('org_2', userId)), errors: [] },
    }));
    const result = await run(list, service, 'key_elsewhere', ['--resume']);
    expect({ code: result.code, row: reportOf(result).rows.at(-1) }).toMatchObject({
      code: 1,
      row: {
        userId: 'usr_004',
        state: 'failed',
        error: 'added to organization org_2; an earlier request may have added it to org_1',
      },
    });
  });

  it('stops the run also if fewer than three rows are left', async () => {
    const list = writeList(folder.path, users(4));
    const service = await startPeopleService(({ number }) => (number > 1 ? forbidden : 'respond'));
    await run(list, service, 'key_old');
    recordSizes(service, [], ({ userIds }) => ({ status: 201, body: { created: [], errors: existing(userIds) } }));
    const result = await run(list, service, 'key_elsewhere', ['--resume']);
    expect({ code: result.code, ...reportOf(result).summary }).toMatchObject({ code: 1, existing: 0, unsent: 1 });
    expect(errorOf(result)).toEqual(NOT_VERIFIED);
  });

  it('checks the key again if the first row had no response', async () => {
    const { list, service, sizes } = await runWithRevokedKey();
    recordSizes(service, sizes, () => forbidden);
    await run(list, service, 'key_bad', ['--resume']);
    recordSizes(service, sizes);
    const result = await run(list, service, 'key_new', ['--resume']);
    expect(result.code).toBe(0);
    expect(sizes.slice(0, 2)).toEqual([1, 1]);
  });

  it('stops after three rows whose responses do not name an organization', async () => {
    const { list, service, sizes } = await runWithRevokedKey();
    for (const userId of users(12).slice(3)) service.addedBy.set(userId, 0);
    recordSizes(service, sizes);
    const result = await run(list, service, 'key_new', ['--resume']);
    expect({ code: result.code, sizes, ...reportOf(result).summary }).toMatchObject({
      code: 1,
      sizes: [1, 1, 1],
      ...counts({ total: 12, created: 3, unsent: 9 }),
      stopped: { code: NOT_VERIFIED.code, message: NOT_VERIFIED.message },
    });
    expect(errorOf(result)).toEqual(NOT_VERIFIED);
    const right = await run(list, service, 'key_old', ['--resume']);
    expect({ code: right.code, ...reportOf(right).summary }).toEqual({
      code: 3,
      ...counts({ total: 12, created: 3, existing: 9 }),
    });
  });

  it('finalizes existing members of the check once the key is verified, and reports each row once', async () => {
    const { list, service, sizes } = await runWithRevokedKey();
    for (const userId of ['usr_004', 'usr_005']) service.addedBy.set(userId, 0);
    recordSizes(service, sizes);
    const result = await run(list, service, 'key_new', ['--resume', '-o', 'ndjson']);
    expect({ code: result.code, sizes: sizes.slice(0, 3) }).toEqual({ code: 3, sizes: [1, 1, 1] });
    expect(users(12).map((id) => service.sends.get(id))).toEqual([1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1]);
    const rows = result.stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
    const states = rows.filter(({ userId }) => userId !== undefined).map(({ userId, state }) => `${userId} ${state}`);
    expect(states.toSorted()).toEqual(
      users(12).map((id) => `${id} ${id === 'usr_004' || id === 'usr_005' ? 'existing' : 'created'}`),
    );
  });

  it('continues with a note if no earlier response has named an organization', async () => {
    const list = writeList(folder.path, users(6));
    const service = await startPeopleService(() => forbidden);
    expect((await run(list, service, 'key_old')).code).toBe(4);
    const sizes: number[] = [];
    recordSizes(service, sizes);
    const result = await run(list, service, 'key_new', ['--resume']);
    expect({ code: result.code, sizes }).toEqual({ code: 0, sizes: [3, 3] });
    expect(result.stderr).toContain(`${CHANGED}; no response has named an organization yet, so it cannot be checked\n`);
  });
});
