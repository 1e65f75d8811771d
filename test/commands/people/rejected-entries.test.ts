import { expect, it } from 'vitest';
import { membersOf } from '../../helpers/people-service.ts';
import { createCommandRunner } from '../../helpers/service-run.ts';

const cli = createCommandRunner();

it('adds the valid rows of a batch in which 900 rows are named six times each', async () => {
  const { run, service } = await cli.scripted((request) => {
    const message = membersOf(request).flatMap(({ role }, at) =>
      role === 'bad' ? [1, 2, 3, 4, 5, 6].map((rule) => `members.${at}.role breaks rule ${rule}`) : [],
    );
    if (message.length > 0) return { status: 400, body: { message, error: 'Bad Request', statusCode: 400 } };
    const created = membersOf(request).map(({ userId }) => ({ userId, id: `mem_${userId}` }));
    return { status: 201, body: { created, errors: [] } };
  });
  const rows = Array.from({ length: 1_000 }, (_, at) => `usr_${at},${at < 900 ? 'bad' : 'member'}\n`).join('');
  const { code, json } = await run(['people', 'bulk-add', '-', '--json', '--batch-size', '1000'], {
    stdin: `userId,role\n${rows}`,
  });
  const report = json() as { rows: { error: string }[] };
  expect(report).toMatchObject({ summary: { created: 100, failed: 900 } });
  expect(report.rows[899]?.error).toBe(
    'role breaks rule 1; role breaks rule 2; role breaks rule 3; role breaks rule 4; role breaks rule 5; role breaks rule 6',
  );
  expect(service.requests).toHaveLength(2);
  expect(code).toBe(3);
});
