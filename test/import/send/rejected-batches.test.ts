import { describe, expect, it } from 'vitest';
import { users } from '../../helpers/journal-files.ts';
import { type BulkRequest, LIMITED, type Step } from '../../helpers/people-service.ts';
import { runCli } from '../../helpers/run-cli.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';
import { importPeople } from './import-people.ts';

const home = temporaryFolder();

const rejection = (message: string): Step => ({ status: 400, body: { statusCode: 400, message } });
const tooLarge: Step = { status: 413, body: { statusCode: 413, message: 'request entity too large' } };
const gatewayTooLarge: Step = {
  status: 413,
  headers: { 'content-type': 'text/html' },
  body: '<title>Too Large</title>',
};
const has = ({ userIds }: BulkRequest, ...bad: readonly string[]) => bad.some((userId) => userIds.includes(userId));

const EVERY_FOURTH = users(64).filter((_, at) => at % 4 === 2);

interface Case {
  readonly promise: string;
  readonly rows: number;
  readonly batchSize?: number;
  readonly step: (request: BulkRequest) => Step;
  /** Who is rejected in the end; all others are created. */
  readonly failed: readonly string[];
  /** Rows in each request. */
  readonly sizes?: readonly number[];
}

const CASES: readonly Case[] = [
  {
    promise: 'is split until the valid row is created, however many requests the service limits meanwhile',
    rows: 2,
    step: (request) => {
      if (request.number > 1 && request.number <= 11) return LIMITED;
      return has(request, 'usr_001') ? rejection('Validation failed') : 'respond';
    },
    failed: ['usr_001'],
    sizes: [2, ...Array(11).fill(1), 1],
  },
  {
    promise: 'is split until its valid rows are created, although many rejected rows next to each other come first',
    rows: 64,
    step: (request) => (has(request, ...users(40)) ? rejection('Validation failed') : 'respond'),
    failed: users(40),
  },
  {
    promise: 'is split until its valid rows are created, although every fourth row is rejected',
    rows: 64,
    step: (request) => (has(request, ...EVERY_FOURTH) ? rejection('Validation failed') : 'respond'),
    failed: EVERY_FOURTH,
  },
  {
    promise: 'is sent without the rows that its message names',
    rows: 4,
    step: (request) => (has(request, 'usr_002') ? rejection('members.1.role is invalid') : 'respond'),
    failed: ['usr_002'],
    sizes: [4, 3],
  },
  {
    promise: 'is halved with all of its rows if its message names a wrong one',
    rows: 4,
    step: (request) => (has(request, 'usr_003') ? rejection('members.0.role is invalid') : 'respond'),
    failed: ['usr_003'],
    sizes: [4, 3, 2, 2, 1, 1],
  },
  {
    promise: 'of which one row is named and the other is too large leaves no row unsent',
    rows: 2,
    step: (request) => (has(request, 'usr_001') ? rejection('members.0.role is invalid') : tooLarge),
    failed: ['usr_001', 'usr_002'],
  },
  {
    promise: 'leaves no row unsent if the last rejection that orgadm accepts names one',
    rows: 64,
    // 64 rows take at most 28 requests in a row without an accepted one, after the first.
    step: ({ number }) => rejection(number === 29 ? 'members.0.role is invalid' : 'Validation failed'),
    failed: users(64),
  },
  {
    promise: 'is halved until it fits if a gateway says that it is too large',
    rows: 8,
    step: ({ userIds }) => (userIds.length > 2 ? gatewayTooLarge : 'respond'),
    failed: [],
    sizes: [8, 4, 2, 2, 2, 2],
  },
  {
    promise: 'makes the others half as large if it is too large as a whole, but not once more for one long row in it',
    rows: 24,
    batchSize: 8,
    step: (request) => (request.userIds.length > 4 || has(request, 'usr_002') ? tooLarge : 'respond'),
    failed: ['usr_002'],
    sizes: [8, 4, 2, 1, 1, 2, 4, 4, 4, 4, 4],
  },
  ...['Maximum 5 members allowed per bulk request', 'Validation failed'].map((message) => ({
    promise: `makes the others as large as the largest part that was accepted, if no row was wrong: ${message}`,
    rows: 24,
    batchSize: 12,
    step: ({ userIds }: BulkRequest) => (userIds.length > 5 ? rejection(message) : 'respond'),
    failed: [],
    sizes: [12, 6, 3, 3, 3, 3, 3, 3, 3, 3],
  })),
  {
    promise: 'does not make the others smaller if a row was wrong',
    rows: 24,
    batchSize: 8,
    step: (request) => (has(request, 'usr_002') ? rejection('Validation failed') : 'respond'),
    failed: ['usr_002'],
    sizes: [8, 4, 2, 1, 1, 2, 4, 8, 8],
  },
];

describe('a rejected batch', () => {
  it.each(CASES.map((one) => [one.promise, one] as const))(
    '%s',
    async (_, { rows, batchSize = 500, step, failed, sizes }) => {
      const { report, ...ended } = await importPeople(home.path, users(rows), {
        step,
        more: ['--batch-size', `${batchSize}`, '--concurrency', '1'],
      });
      expect(report.rows.map(({ userId, state }) => [userId, state])).toEqual(
        failed.map((userId) => [userId, 'failed']),
      );
      expect({ code: ended.code, created: report.summary.created }).toEqual({
        code: failed.length === 0 ? 0 : 3,
        created: rows - failed.length,
      });
      if (sizes !== undefined) expect(ended.sizes).toEqual(sizes);
    },
  );

  it.each([
    ['members.1.role should not be empty', 'role should not be empty'],
    ['members[1].role: required', 'role: required'],
    ['#/members/1/role: is required', 'role: is required'],
    ['body.members.1.role: field required', 'role: field required'],
    ['The members.1.role field is required.', 'The role field is required.'],
    ['Invalid value for members[1].', 'Invalid value for entry.'],
    ['members.1: Required', 'Required'],
    ['members.1', 'entry'],
    [`members.1.role is not ${'😀'.repeat(200)}`, `role is not ${'😀'.repeat(143)}…`],
  ])('says of the row that a message names what it says, without the position: %s', async (message, error) => {
    const { report, sizes } = await importPeople(home.path, users(4), {
      step: (request) => (has(request, 'usr_002') ? rejection(message) : 'respond'),
    });
    expect(sizes).toEqual([4, 3]);
    expect(report.rows).toMatchObject([{ userId: 'usr_002', state: 'failed', error }]);
  });

  it.each([', ', '; ', '\n', '. '])('says of two rows in one message what it says of each: %j', async (separator) => {
    const sentences = ['members.1.role should not be empty', 'members.2.role must be a string'];
    const { report } = await importPeople(home.path, users(4), {
      step: (request) => (has(request, 'usr_002', 'usr_003') ? rejection(sentences.join(separator)) : 'respond'),
    });
    expect(report.rows.map(({ error }) => error)).toEqual(['role should not be empty', 'role must be a string']);
  });

  it('is one also if it lists no created members', async () => {
    const body = { message: 'Validation failed', created: [], errors: [] };
    const { report } = await importPeople(home.path, users(2), {
      step: (request) => (has(request, 'usr_002') ? { status: 400, body } : 'respond'),
    });
    expect(report.summary).toMatchObject({ created: 1, failed: 1 });
  });

  it('names the rows that were not tried alone, also in the report of another process', async () => {
    const ended = await importPeople(home.path, users(64), { step: () => rejection('Validation failed') });
    const errors = new Set(ended.report.rows.map(({ error }) => error));
    expect(errors).toEqual(new Set(['Validation failed', expect.stringMatching(/.: Validation failed$/)]));
    const shown = await runCli(home.path, ['runs', 'show', ended.report.run.id, '--json']);
    expect(shown.json()).toMatchObject({ rows: ended.report.rows });
  });
});
