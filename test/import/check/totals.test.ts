import { expect, it } from 'vitest';
import { checkList } from './lists.ts';

it('counts the people of a list, and shows some of them', async () => {
  const people = ['u1,admin,it', 'u22,m,', 'u333,m,it', 'u4444,m,hr', 'u55555,m,it', 'u6 6,m,it'];
  const { totals, samples } = await checkList(`userId,role,department\n${people.join('\n')}\n`);
  expect(totals).toMatchObject({
    rows: 6,
    invalid: 1,
    active: 0,
    inactive: 0,
    unspecified: 5,
    roles: [
      ['m', 4],
      ['admin', 1],
    ],
    departments: [
      ['it', 3],
      ['', 1],
      ['hr', 1],
    ],
    shortestId: 'u1',
    longestId: 'u55555',
  });
  expect(totals.people.first.map(({ userId }) => userId)).toEqual(['u1', 'u22']);
  expect(totals.people.last.map(({ userId }) => userId)).toEqual(['u4444', 'u55555']);
  expect(samples).toEqual({ userId: 'u1', role: 'admin', department: 'it' });
});

it('shows nobody twice in a short list', async () => {
  const { totals } = await checkList('userId,role\nu1,m\nu2,m\nu3,m\n');
  expect(totals.people.first.map(({ userId }) => userId)).toEqual(['u1', 'u2']);
  expect(totals.people.last.map(({ userId }) => userId)).toEqual(['u3']);
});
