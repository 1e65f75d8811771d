import { Command } from 'commander';
import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { registerPeopleBulkAdd } from '../../../src/commands/people/bulk-add.ts';
import { type ListFlags, mappingFromFlags } from '../../../src/commands/people/list-flags.ts';
import { type ListMapping, listOptionsFrom, mergeMappings } from '../../../src/commands/people/list-mapping.ts';
import { ColumnsError, type MemberList } from '../../../src/import/list/open-list.ts';
import { UsageError } from '../../../src/util/errors.ts';
import { SEED } from '../../helpers/fixed-seed.ts';
import { openListText, readOpenList } from './read-list.ts';

/** A column that says who is active, as exports have it: its values, and whether people with them are active. */
interface StatusColumn {
  readonly name: string;
  readonly values: Readonly<Record<string, boolean>>;
}

const STATUS_COLUMNS: readonly StatusColumn[] = [
  { name: 'Status', values: { Active: true, Suspended: false, Terminated: false } },
  { name: 'status', values: { ACTIVE: true, PASSWORD_EXPIRED: false, DEPROVISIONED: false } },
  { name: 'User status', values: { '1': true, '2': false, '3': false } },
  { name: 'Account Status', values: { '0': true, '1': false } },
  { name: 'HR Status', values: { A: true, T: false, L: false } },
  { name: 'Worker Status', values: { Active: true, 'On Leave': false } },
  { name: 'Employment Status', values: { 'Full-Time': true, Terminated: false } },
  { name: 'Lifecycle status', values: { Employed: true, 'Garden leave': false } },
  { name: 'Active Status', values: { Yes: true, No: false } },
  { name: 'state', values: { ACTIVATED: true, STAGED: false, SUSPENDED: false } },
  { name: 'suspended', values: { false: true, true: false } },
  { name: 'account_locked', values: { False: true, True: false } },
  { name: 'Disabled', values: { '': true, Disabled: false, x: false } },
  { name: 'accountEnabled', values: { True: true, False: false } },
  { name: 'billing-active', values: { '1': true, '0': false } },
  { name: 'userAccountControl', values: { '512': true, '514': false, '66050': false } },
  { name: 'Termination date', values: { '': true, '2099-01-01': true, '2024-06-30': false } },
  { name: 'suspended_at', values: { '': true, '2024-06-30T09:00:00Z': false } },
  { name: 'deletedAt', values: { '': true, '1577836800000': false } },
  { name: 'Contract end', values: { '': true, '01.02.20': false } },
  { name: 'IsFrozen', values: { false: true, true: false } },
  { name: 'Employed', values: { Yes: true, No: false } },
  { name: 'Statut', values: { Actif: true, Inactif: false, Suspendu: false } },
  { name: 'Zustand', values: { Active: true, Deprovisioned: false } },
  { name: 'isActive', values: { yes: true, no: false, '': true } },
  { name: 'Active', values: { TRUE: true, FALSE: false } },
];

const list = fc.record({
  columns: fc.uniqueArray(fc.constantFrom(...STATUS_COLUMNS), {
    minLength: 1,
    maxLength: 3,
    selector: ({ name }) => name.toLowerCase().replace('is', ''),
  }),
  rows: fc.array(fc.array(fc.nat(), { minLength: 3, maxLength: 3 }), { minLength: 1, maxLength: 6 }),
  id: fc.constantFrom('userId', 'Email', 'Employee ID'),
  role: fc.constantFrom('role', 'Org role', undefined),
  others: fc.subarray(['Name', 'Plan', 'activated']),
  titles: fc.constantFrom('', '', 'Report\n\n'),
  isJson: fc.boolean(),
});

/** Returns the options of `people bulk-add` in these words. */
function parseListFlags(words: readonly string[]): ListFlags {
  const command = new Command().exitOverride();
  registerPeopleBulkAdd(command, () => {
    throw new Error('the action does not run');
  });
  command.action(() => {}).parse(['list.csv', ...words], { from: 'user' });
  return command.opts<ListFlags>();
}

/** Returns the mapping of a suggestion with a role filled in; undefined if it is rejected. */
function accept(words: readonly string[], before: ListMapping): ListMapping | undefined {
  try {
    const flags = mappingFromFlags(parseListFlags(words.map((word) => word.replace('<role>', 'member'))));
    const mapping = mergeMappings(before, flags);
    listOptionsFrom(mapping);
    return mapping;
  } catch (error) {
    if (error instanceof UsageError) return undefined;
    throw error;
  }
}

describe('a list with a column that says who is active', () => {
  it('is never sent by a suggested command with people as active who are not', async () => {
    let sent = 0;
    const property = fc.asyncProperty(list, async ({ columns, rows, id, role, others, titles, isJson }) => {
      const cellsOf = (row: readonly number[]) =>
        columns.map(({ values }, at) => {
          const texts = Object.keys(values);
          return texts[(row[at] ?? 0) % texts.length] ?? '';
        });
      const people = rows.map((row, at) => {
        const cells = cellsOf(row);
        const isActive = cells.every((cell, column) => columns[column]?.values[cell] !== false);
        return { id: `u${at}@example.com`, cells, isActive };
      });
      const header = [id, ...(role === undefined ? [] : [role]), ...columns.map(({ name }) => name), ...others];
      const table = people.map((person) => [
        person.id,
        ...(role === undefined ? [] : ['member']),
        ...person.cells,
        ...others.map((name) => (name === 'activated' ? 'true' : 'x')),
      ]);
      const content = isJson
        ? JSON.stringify(table.map((cells) => Object.fromEntries(cells.map((cell, at) => [header[at], cell]))))
        : titles + stringify([header, ...table]);
      let mapping: ListMapping = {};
      for (let step = 0; step < 3; step++) {
        const words = await suggestedWith(content, mapping);
        const accepted = words.length === 0 ? undefined : accept(words, mapping);
        if (accepted === undefined) return;
        mapping = accepted;
        const isActiveById = new Map(people.map((person) => [person.id, person.isActive]));
        for (const { userId, isActive } of await entriesWith(content, mapping)) {
          sent++;
          if (isActiveById.get(userId) === false) expect(isActive).toBe(false);
        }
      }
    });
    await fc.assert(property, { seed: SEED, numRuns: 400 });
    // The property would also hold if nothing were ever suggested.
    expect(sent).toBeGreaterThan(100);
  });
});

function openWith(content: string, mapping: ListMapping): Promise<MemberList> {
  return openListText(content, {}, listOptionsFrom(mapping));
}

async function suggestedWith(content: string, mapping: ListMapping): Promise<readonly string[]> {
  try {
    return (await (await openWith(content, mapping)).validate()).suggestedOptions;
  } catch (error) {
    if (error instanceof ColumnsError) return error.suggestedOptions;
    throw error;
  }
}

async function entriesWith(content: string, mapping: ListMapping) {
  try {
    const { rows } = await readOpenList(await openWith(content, mapping));
    return rows.flatMap(({ value }) => value ?? []);
  } catch (error) {
    if (error instanceof ColumnsError) return [];
    throw error;
  }
}
