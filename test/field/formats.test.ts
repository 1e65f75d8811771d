import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { membersOf, startAddMembersService } from '../helpers/people-service.ts';
import { createCommandRunner } from '../helpers/service-run.ts';

const cli = createCommandRunner();

/** A list in `lists/`, or the name and the content of another one. */
type List = string | readonly [name: string, content: string | Uint8Array];

/** Imports a list with these options, and returns the entries that arrived and what orgadm printed. */
async function importList(list: List, options: readonly string[] = []) {
  const file = typeof list === 'string' ? join(import.meta.dirname, 'lists', list) : cli.file(list[0]);
  if (typeof list !== 'string') writeFileSync(file, list[1]);
  const { service, run } = await cli.scripted(startAddMembersService());
  const { code, stdout, stderr } = await run(['people', 'bulk-add', file, ...options]);
  return { code, sent: service.requests.flatMap(membersOf), printed: stdout + stderr };
}

/** Expects that a list is rejected with these parts of the message, and that nothing arrives. */
async function expectRejected(list: List, options: readonly string[], parts: readonly string[]): Promise<void> {
  const { code, sent, printed } = await importList(list, options);
  expect({ code, sent }, printed).toEqual({ code: 2, sent: [] });
  for (const part of parts) expect(printed).toContain(part);
}

describe('an object where a field has text', () => {
  it.each<[string, List, string]>([
    ['role', 'role-object/a.json', '--map role=role.id or --map role=role.name'],
    ['isActive', ['a.json', '[{"userId":"u1","role":"m","isActive":{"value":true}}]'], '--map isActive=isActive.value'],
    [
      'a key that --map names',
      ['a.json', '[{"login":{"ids":{"main":"u1"}},"role":"m","isActive":true}]'],
      '--map userId=login.ids.main',
    ],
  ])('makes its row invalid, and the error names the inner values: %s', async (_name, list, option) => {
    const options = option.includes('login') ? ['--map', 'userId=login'] : [];
    await expectRejected(list, options, ['an object is not a', option]);
  });

  it('is read with the option that the error names', async () => {
    const options = ['--map', 'role=role.name', '--ignore-extra-columns'];
    const { sent } = await importList('role-object/a.json', options);
    expect(sent).toEqual([
      { userId: 'usr_0001', role: 'admin', isActive: true },
      { userId: 'usr_0002', role: 'employee', isActive: false },
    ]);
  });
});
