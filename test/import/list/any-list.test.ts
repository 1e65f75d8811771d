import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MEMBER_FIELDS, type MemberField } from '../../../src/import/new-member.ts';
import { randomCases } from '../../helpers/fixed-seed.ts';
import { valuesOf } from './read-list.ts';

/** Characters of every supported encoding; delimiters and line ends need quotes. */
const word = fc
  .string({ unit: fc.constantFrom('a', 'Z', '0', ' ', 'é', 'ß', ',', ';', '|', '"', "'", '=', '-', '.'), maxLength: 8 })
  // A run of spaces is one space.
  .map((text) => `x${text}x`.replace(/ +/g, ' '));
/** A user ID has no spaces. */
const id = word.map((text) => text.replaceAll(' ', '_'));
const entry = fc.record({
  userId: id,
  role: word,
  department: fc.option(word, { nil: undefined }),
  // A list with other columns has to say who is active, and what a blank means.
  isActive: fc.boolean(),
  deviceMgmtLabelId: fc.option(fc.integer(), { nil: undefined }),
});
const entries = fc.uniqueArray(entry, { selector: ({ userId }) => userId, minLength: 1, maxLength: 8 });
type Entry = { [F in MemberField]?: string | number | boolean | undefined };

const ENCODERS: Readonly<Record<string, (text: string) => Buffer>> = {
  'utf-8': (text) => Buffer.from(text),
  'utf-8 with a mark': (text) => Buffer.from(`\ufeff${text}`),
  'utf-16le': (text) => Buffer.from(text, 'utf16le'),
  'utf-16le with a mark': (text) => Buffer.from(`\ufeff${text}`, 'utf16le'),
  'utf-16be with a mark': (text) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16(),
  'windows-1252': (text) => Buffer.from(text, 'latin1'),
};

function withoutBlanks(entry: Entry): Entry {
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined));
}

function cellOf(value: Entry[MemberField]): string {
  return value === undefined ? '' : String(value);
}

/** How a list has one field: under which name or path, inverted, and with which other texts for its values. */
const renamed = fc.record({ path: fc.boolean(), inverted: fc.boolean(), translated: fc.boolean() });

describe('reading a list of random content', () => {
  it('returns any CSV list as it was written, whatever its delimiter, encoding and line ends', async () => {
    const property = fc.asyncProperty(
      entries,
      fc.shuffledSubarray([...MEMBER_FIELDS], { minLength: MEMBER_FIELDS.length }),
      fc.constantFrom(',', ';', '\t', '|', '^'),
      fc.constantFrom('\n', '\r\n', '\r'),
      fc.constantFrom(...Object.keys(ENCODERS)),
      fc.boolean(),
      async (list, columns, delimiter, record_delimiter, encoding, quoted) => {
        const rows = list.map((values: Entry) => columns.map((field) => cellOf(values[field])));
        const options = { delimiter, record_delimiter, quoted, quoted_match: /[\r\n]/ };
        const text = stringify([columns, ...rows], options);
        const given = {
          ...(delimiter === '^' ? { delimiter } : {}),
          ...(encoding === 'windows-1252' ? { encoding } : {}),
        };
        const bytes = ENCODERS[encoding]?.(text) ?? Buffer.alloc(0);
        expect(await valuesOf(bytes, given)).toEqual(list.map(withoutBlanks));
      },
    );
    await fc.assert(property, { numRuns: randomCases(150) });
  });

  it.each(['csv', 'json', 'ndjson'] as const)(
    'returns the same entries for a renamed list with the mapping of its names: %s',
    async (format) => {
      const property = fc.asyncProperty(
        entries,
        fc.record({
          userId: renamed,
          role: renamed,
          department: renamed,
          isActive: renamed,
          deviceMgmtLabelId: renamed,
        }),
        async (list, how) => {
          const map: Partial<Record<MemberField, string>> = {};
          const valueMap: Partial<Record<MemberField, Record<string, string>>> = {};
          const rows: Record<string, unknown>[] = list.map(() => ({}));
          for (const field of MEMBER_FIELDS) {
            const { path, inverted, translated } = how[field];
            const isPath = path && format !== 'csv';
            const isInverted = inverted && field === 'isActive' && !translated;
            const values = list.map((values: Entry) => values[field]);
            // A mapping that matches nothing is an error.
            if (values.every((value) => value === undefined)) continue;
            map[field] = `${isInverted ? '!' : ''}${isPath ? `outer.the ${field}` : `the ${field}`}`;
            const texts: Record<string, string> = {};
            for (const [at, value] of values.entries()) {
              if (value === undefined) continue;
              const other = isInverted ? !value : translated ? `value ${at}` : value;
              if (translated) texts[`value ${at}`] = String(value);
              const row = rows[at] ?? {};
              if (isPath) row.outer = { ...(row.outer as object), [`the ${field}`]: other };
              else row[`the ${field}`] = other;
            }
            if (translated) valueMap[field] = texts;
          }
          const names = Object.values(map).map((name) => name.replace(/^!/, ''));
          const written = {
            csv: () =>
              stringify([names, ...rows.map((row) => names.map((name) => cellOf(row[name] as string)))], {
                cast: { boolean: String },
              }),
            json: () => JSON.stringify({ people: rows, total: rows.length }, null, 1),
            ndjson: () => rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
          };
          expect(await valuesOf(written[format](), { map, valueMap })).toEqual(list.map(withoutBlanks));
        },
      );
      await fc.assert(property, { numRuns: randomCases(80) });
    },
  );
});
