import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomCases } from '../../helpers/fixed-seed.ts';
import { type ListText, readListText } from './read-list.ts';

const FIELDS = ['User ID', 'Job Title', 'Team', 'Status'] as const;
type Column = (typeof FIELDS)[number];
type Person = Record<Column, string>;

const people = fc.uniqueArray(fc.stringMatching(/^usr_\d{4}$/), { minLength: 1, maxLength: 6 }).chain((ids) =>
  fc.tuple(
    ...ids.map((id) =>
      fc.record({
        'User ID': fc.constant(id),
        'Job Title': fc.constantFrom('Führungskraft', 'Team lead', 'employee'),
        Team: fc.constantFrom('Büro Köln', 'R & D', '人事', ''),
        Status: fc.constantFrom('Active', 'Left company'),
      }),
    ),
  ),
);

/** Options about the columns, whose names and values are written as a person reads them. */
const OPTIONS: ListText = {
  map: { userId: 'user id', role: 'Job title', department: 'team', isActive: 'STATUS' },
  valueMap: {
    role: { führungskraft: 'manager', 'team lead': 'manager' },
    isActive: { active: 'true', 'left company': 'false' },
  },
};

/** Ways to write a text so that a person reads the same. */
const WAYS: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text.normalize('NFD'),
  (text) => text.replaceAll(' ', '\u00a0'),
  (text) => text.replaceAll(' ', '\u2009'),
  (text) => text.replaceAll(' ', '  '),
  (text) => ` ${text}\u00a0`,
];

/** Ways to write a table. */
const WRITERS: Record<string, (header: string[], rows: string[][]) => { content: string; name: string }> = {
  csv: (header, rows) => ({ name: 'a.csv', content: stringify([header, ...rows]) }),
  'csv with quotes': (header, rows) => ({ name: 'a.csv', content: stringify([header, ...rows], { quoted: true }) }),
  'csv with CRLF and a mark': (header, rows) => ({
    name: 'a.csv',
    content: `\ufeffsep=;\r\n${stringify([header, ...rows], { delimiter: ';', record_delimiter: '\r\n' })}`,
  }),
  tsv: (header, rows) => ({ name: 'a.tsv', content: stringify([header, ...rows], { delimiter: '\t' }) }),
  json: (header, rows) => ({
    name: 'a.json',
    content: JSON.stringify({ users: rows.map((row) => objectOf(header, row)) }),
  }),
  ndjson: (header, rows) => ({
    name: 'a.ndjson',
    content: rows.map((row) => `${JSON.stringify(objectOf(header, row))}\n`).join(''),
  }),
};

const objectOf = (header: string[], row: string[]) => Object.fromEntries(header.map((key, at) => [key, row[at]]));

/** How a table is written: the format, the order of its columns, and the way of each text. */
const looks = fc.record({
  writer: fc.constantFrom(...Object.keys(WRITERS)),
  columns: fc.shuffledSubarray([...FIELDS], { minLength: FIELDS.length }),
  ways: fc.array(fc.nat(WAYS.length - 1), { minLength: 32, maxLength: 32 }),
});

async function readAs(list: readonly Person[], look: { writer: string; columns: Column[]; ways: number[] }) {
  let written = 0;
  const write = (text: string) => WAYS[look.ways[written++ % look.ways.length] ?? 0]?.(text) ?? text;
  const rows = list.map((person) => look.columns.map((column) => write(person[column])));
  const { content, name } = WRITERS[look.writer]?.(look.columns.map(write), rows) ?? { content: '', name: '' };
  return (await readListText(content, { ...OPTIONS, name })).rows.map(({ member }) => member);
}

describe('two tables that look the same', () => {
  it('are the same people, whatever their format, their spaces, and how their accents are written', async () => {
    const property = fc.asyncProperty(people, looks, async (list, look) => {
      const expected = list.map((person) => ({
        userId: person['User ID'],
        role: person['Job Title'] === 'employee' ? 'employee' : 'manager',
        ...(person.Team !== '' && { department: person.Team }),
        isActive: person.Status === 'Active',
      }));
      expect(await readAs(list, look)).toEqual(expected);
    });
    await fc.assert(property, { numRuns: randomCases(600) });
  });

  it('are the same people or none if one of them hides a character', async () => {
    const hidden = fc.constantFrom('\u200b', '\ufeff', '\u00ad', '\u2060', '\u0007');
    const property = fc.asyncProperty(
      people,
      fc.nat(5),
      fc.constantFrom<Column>('User ID', 'Job Title'),
      hidden,
      async (list, at, column, character) => {
        const target = at % list.length;
        const spoiled = list.map((person, position) =>
          position === target
            ? { ...person, [column]: `${person[column].slice(0, 2)}${character}${person[column].slice(2)}` }
            : person,
        );
        const look = { writer: 'csv', columns: [...FIELDS], ways: [0] };
        const [plain, values] = [await readAs(list, look), await readAs(spoiled, look)];
        expect(values).toEqual(plain.map((value, position) => (position === target ? undefined : value)));
      },
    );
    await fc.assert(property, { numRuns: randomCases(100) });
  });
});
