import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { machineAt, only, serviceThatStops } from '../../commands/runs/run-fixtures.ts';
import { journalOf, users, writeList } from '../../e2e/journal-files.ts';
import { startPeopleService } from '../../helpers/people-service.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';

const folder = temporaryFolder();

/** How often the only journal has a word. */
const occurrences = (word: string) => readFileSync(journalOf(folder.path) ?? 'none', 'utf8').split(word).length - 1;

describe('what a response shows about the entire run', () => {
  const caller = { authType: 'api-key', authenticatedUser: { id: 'usr_9', email: 'owner@example.com' } };

  it('is in the journal once: whom it names as the caller, runs show and the continued run name, too', async () => {
    const machine = machineAt(folder.path);
    const service = await serviceThatStops({ authenticatedUser: caller.authenticatedUser });
    const list = writeList(folder.path, users(12));
    await machine.add(list, service);
    const { id } = only(await machine.runs());
    expect((await machine.run(['runs', 'show', id, '--json'])).json()).toMatchObject(caller);
    service.step = () => 'respond';
    expect((await machine.add(list, service, ['--json'])).json()).toMatchObject(caller);
    expect([occurrences('owner@example.com'), occurrences('authType')]).toEqual([1, 1]);
  });

  it('is in the journal when a later response is the first to show it', async () => {
    const machine = machineAt(folder.path);
    const service = await startPeopleService(({ number, result }) => {
      const { authType: _, ...body } = result();
      return { status: 201, body: number === 1 ? body : { ...body, ...caller } };
    });
    const { stdout } = await machine.add(writeList(folder.path, users(9)), service, ['--json']);
    expect(JSON.parse(stdout)).toMatchObject(caller);
    expect([occurrences('owner@example.com'), occurrences('authType')]).toEqual([1, 1]);
  });
});
