import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { startAddMembersService } from '../../helpers/people-service.ts';
import type { Handler } from '../../helpers/scripted-service.ts';
import { createCommandRunner } from '../../helpers/service-run.ts';

const cli = createCommandRunner();

type Row = { userId: string; state: string; error: string | null };

/** Imports usr_1 to usr_4 after settings were stored. Returns the rows that were not created, as `usr_1 failed: message`. */
async function importWith(settings: readonly string[][], handler: Handler) {
  for (const setting of settings) await cli.plain(['config', 'set', ...setting]);
  const file = cli.file('list.csv');
  writeFileSync(file, 'userId,role\nusr_1,member\nusr_2,member\nusr_3,member\nusr_4,member\n');
  const { run } = await cli.scripted(handler);
  const argv = ['people', 'bulk-add', file, '--json', '--no-confirm', '--retries', '0'];
  const result = await run(argv);
  const { rows } = result.json() as { rows: Row[] };
  return {
    rows: rows.map(({ userId, state, error }) => `${userId} ${state}: ${error}`),
    stderr: result.stderr,
  };
}

describe('the base of errors[].index in the settings', () => {
  /** Mentions only one of four entries, by its index. */
  const vague: Handler = () => ({ status: 201, body: { created: [], errors: [{ index: 2, error: 'no' }] } });

  it.each([
    ['0', 'usr_3 failed: no'],
    ['1', 'usr_2 failed: no'],
  ])('decides with the value %s which of two rows an error is about', async (base, row) => {
    const { rows } = await importWith([['wire.member.errorIndexBase', base]], vague);
    expect(rows).toContain(row);
    expect(rows.filter((text) => text.includes(' unknown: '))).toHaveLength(3);
  });

  it('leaves such rows unknown if it is not set', async () => {
    const { rows } = await importWith([], vague);
    expect(rows.filter((text) => text.includes(' unknown: '))).toHaveLength(4);
  });

  it('is ignored with a warning if a response contradicts it', async () => {
    const service = startAddMembersService({ rejected: { usr_2: 'no' }, base: 1 });
    const { rows, stderr } = await importWith([['wire.member.errorIndexBase', '0']], service);
    expect(rows).toEqual(['usr_2 failed: no']);
    expect(stderr).toContain('errors[].index counts from 1, although the setting wire.member.errorIndexBase is 0');
  });
});

describe('the phrases of the setting wire.member.existing', () => {
  it('make a row existing only if the entire message matches', async () => {
    const service = startAddMembersService({
      rejected: { usr_1: 'usr_1 is on board', usr_2: 'usr_2 is on board of another ship' },
    });
    const { rows } = await importWith([['wire.member.existing', '* is on board']], service);
    expect(rows).toEqual(['usr_1 existing: usr_1 is on board', 'usr_2 failed: usr_2 is on board of another ship']);
  });
});
