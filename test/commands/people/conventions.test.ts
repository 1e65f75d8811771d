import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { membersOf, startAddMembersService } from '../../helpers/people-service.ts';
import type { Handler } from '../../helpers/scripted-service.ts';
import { createCommandRunner } from '../../helpers/service-run.ts';

const cli = createCommandRunner();

type Row = { userId: string; state: string; error: string | null };

/** Imports usr_1 to usr_4 after settings were stored. Returns the rows that were not created, as `usr_1 failed: message`. */
async function importWith(settings: readonly string[][], handler: Handler) {
  for (const setting of settings) await cli.plain(['config', 'set', ...setting]);
  const file = cli.file('list.csv');
  writeFileSync(file, 'userId,role\nusr_1,member\nusr_2,member\nusr_3,member\nusr_4,member\n');
  const { service, run } = await cli.scripted(handler);
  const argv = ['people', 'bulk-add', file, '--json', '--no-confirm', '--retries', '0'];
  const result = await run(argv);
  const { rows } = result.json() as { rows: Row[] };
  return {
    rows: rows.map(({ userId, state, error }) => `${userId} ${state}: ${error}`),
    stderr: result.stderr,
    batches: service.requests.map((request) => membersOf(request).map(({ userId }) => userId)),
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

describe('the base of names in a 400 in the settings', () => {
  /** Rejects requests with usr_2, naming it with a number that counts from `base`. */
  const naming =
    (base: number): Handler =>
    (request, response) => {
      const at = membersOf(request).findIndex(({ userId }) => userId === 'usr_2');
      if (at < 0) return startAddMembersService()(request, response);
      return { status: 400, body: { message: [`members.${at + base}.role should not be empty`] } };
    };

  it.each([
    [0, []],
    [1, [['wire.member.namesBase', '1']]],
  ])('finds the row of a number that counts from %i with one further request', async (base, settings) => {
    const { rows, batches } = await importWith(settings, naming(base));
    expect(rows).toEqual(['usr_2 failed: role should not be empty']);
    expect(batches).toEqual([
      ['usr_1', 'usr_2', 'usr_3', 'usr_4'],
      ['usr_1', 'usr_3', 'usr_4'],
    ]);
  });

  it('is ignored with a warning if the service names other rows', async () => {
    const { rows, stderr } = await importWith([['wire.member.namesBase', '1']], naming(0));
    expect(rows).toEqual(['usr_2 failed: role should not be empty']);
    expect(stderr).toContain('do not fit the setting wire.member.namesBase (1)');
  });
});

describe('learned messages', () => {
  it('make a row existing only if the entire message matches', async () => {
    const service = startAddMembersService({
      rejected: { usr_1: 'usr_1 is on board', usr_2: 'usr_2 is on board of another ship' },
    });
    const { rows } = await importWith([['wire.member.existing', '* is on board']], service);
    expect(rows).toEqual(['usr_1 existing: usr_1 is on board', 'usr_2 failed: usr_2 is on board of another ship']);
  });

  it('about unknown users override the wording of a message', async () => {
    const message = 'User usr_1 is already a member';
    const service = startAddMembersService({ rejected: { usr_1: message } });
    const { rows } = await importWith([['wire.member.unknown', 'User * is already a member']], service);
    expect(rows).toEqual([`usr_1 failed: ${message}`]);
  });
});
