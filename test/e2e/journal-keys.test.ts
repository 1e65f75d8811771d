import { describe, expect, it } from 'vitest';
import { type CliResult, runCli, temporaryCliDirectory } from '../helpers/run-cli.ts';
import { createAutoClock } from '../helpers/test-clock.ts';
import { users, writeList } from './journal-files.ts';
import { bulkAddArgs } from './journal-process.ts';
import { counts, errorOf, reportOf } from './journal-report.ts';
import { type BulkRequest, type PeopleService, type Step, startPeopleService } from './journal-service.ts';

const folder = temporaryCliDirectory();

function run(list: string, service: PeopleService, key: string, more: readonly string[] = []): Promise<CliResult> {
  // The clock passes the time until requests of unknown outcome are over.
  const options = { env: { ORGADM_API_KEY: key }, clock: createAutoClock(Date.now()) };
  return runCli(folder.path, bulkAddArgs(list, service, more), options);
}

const forbidden: Step = { status: 403, body: { message: 'Insufficient permissions', statusCode: 403 } };

/** A run of twelve rows whose key lost its permission after the first three. */
async function runWithRevokedKey(): Promise<{ list: string; service: PeopleService; sizes: number[] }> {
  const list = writeList(folder.path, users(12));
  const service = await startPeopleService(({ number }) => (number > 1 ? forbidden : 'respond'));
  const first = await run(list, service, 'key_old');
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

/** Adds everyone to another organization. */
const elsewhere = ({ userIds }: BulkRequest): Step => ({
  status: 201,
  body: {
    created: userIds.map((userId) => ({ id: `mem_${userId}`, organizationId: 'org_2', userId })),
    errors: [],
  },
});

const ACCEPTED = ['--resume', '--accept-new-key'];

describe('a run whose key has changed', () => {
  it('is not continued by --resume: nothing is sent, and the error names the option', async () => {
    const { list, service, sizes } = await runWithRevokedKey();
    recordSizes(service, sizes);
    const result = await run(list, service, 'key_new', ['--resume']);
    expect({ code: result.code, stdout: result.stdout, sizes }).toEqual({ code: 2, stdout: '', sizes: [] });
    expect(errorOf(result)).toEqual({
      code: 'key-changed',
      message: 'the API key has changed since this run started',
      hint: 'Nothing was sent. If the new key belongs to the same organization, add --accept-new-key. Otherwise use the old key.',
    });
  });

  it('is continued with --accept-new-key, and the first request has one row', async () => {
    const { list, service, sizes } = await runWithRevokedKey();
    recordSizes(service, sizes);
    const result = await run(list, service, 'key_new', ACCEPTED);
    expect({ code: result.code, sizes, ...reportOf(result).summary }).toEqual({
      code: 0,
      sizes: [1, 2, 3, 3],
      ...counts({ total: 12, created: 12 }),
    });
    expect(users(3).map((id) => service.sends.get(id))).toEqual([1, 1, 1]);
  });

  it('is continued with a key that was accepted before, which the old key is no longer', async () => {
    const { list, service, sizes } = await runWithRevokedKey();
    recordSizes(service, sizes, () => (sizes.length > 1 ? forbidden : 'respond'));
    expect((await run(list, service, 'key_new', ACCEPTED)).code).toBe(4);
    expect(errorOf(await run(list, service, 'key_old', ['--resume'])).code).toBe('key-changed');
    recordSizes(service, sizes);
    const again = await run(list, service, 'key_new', ['--resume']);
    expect({ code: again.code, sizes }).toEqual({ code: 0, sizes: [1, 2, 3, 3, 2] });
  });

  it('stops after that row if the key belongs to another organization', async () => {
    const { list, service, sizes } = await runWithRevokedKey();
    recordSizes(service, sizes, elsewhere);
    const result = await run(list, service, 'key_elsewhere', ACCEPTED);
    expect({ code: result.code, sizes, ...reportOf(result).summary }).toMatchObject({
      code: 1,
      sizes: [1],
      created: 3,
      failed: 1,
      unsent: 8,
    });
    expect(errorOf(result)).toEqual({
      code: 'other-organization',
      message: 'the service added people to organization org_2, after it had added others of this list to org_1',
      hint: 'Check which organization the key belongs to before you continue.',
    });
  });

  it('reports the person it added there as failed, and exits 1, also when the right key sends the others', async () => {
    const { list, service, sizes } = await runWithRevokedKey();
    recordSizes(service, sizes, elsewhere);
    await run(list, service, 'key_elsewhere', ACCEPTED);
    recordSizes(service, sizes);
    for (const more of [ACCEPTED, ['--resume']]) {
      const result = await run(list, service, 'key_old', more);
      expect({ code: result.code, ...reportOf(result).summary }).toMatchObject({ code: 1, created: 11, failed: 1 });
      expect(errorOf(result).code).toBe('other-organization');
      expect(reportOf(result).rows.filter(({ state }) => state === 'failed')).toMatchObject([
        { userId: 'usr_004', error: 'added to organization org_2, not to org_1' },
      ]);
    }
  });

  it('reports that a row of unknown outcome may be in both organizations', async () => {
    const list = writeList(folder.path, users(4));
    const failed = { status: 500, body: { message: 'Internal server error', statusCode: 500 } };
    const service = await startPeopleService(({ number }) => (number > 1 ? failed : 'respond'));
    await run(list, service, 'key_old', ['--no-confirm']);
    recordSizes(service, [], elsewhere);
    const result = await run(list, service, 'key_elsewhere', ACCEPTED);
    expect({ code: result.code, row: reportOf(result).rows.at(-1) }).toMatchObject({
      code: 1,
      row: {
        userId: 'usr_004',
        state: 'failed',
        error: 'added to organization org_2, not to org_1 (an earlier request may have added this person)',
      },
    });
  });

  it('is not continued by --restart, which starts a run of its own with any key', async () => {
    const { list, service } = await runWithRevokedKey();
    service.step = () => 'respond';
    const result = await run(list, service, 'key_new', ['--restart']);
    expect({ code: result.code, ...reportOf(result).summary }).toEqual({
      code: 3,
      ...counts({ total: 12, created: 9, existing: 3 }),
    });
  });
});

describe('a finished run with another key', () => {
  it.each([[[]], [['--resume']]])(
    'is not the run of this list: it is imported, with a note, under %j',
    async (more) => {
      const list = writeList(folder.path, users(3));
      const service = await startPeopleService();
      expect((await run(list, service, 'key_old')).code).toBe(0);
      service.addedBy.clear();
      const result = await run(list, service, 'key_new', more);
      expect({ code: result.code, ...reportOf(result).summary }).toEqual({
        code: 0,
        ...counts({ total: 3, created: 3 }),
      });
      expect(result.stderr).toMatch(
        /^this list was imported with another API key on .* UTC \(3 created\); importing it again\n$/m,
      );
    },
  );
});
