import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { NewMember } from '../../../src/import/new-member.ts';
import { randomCases } from '../../helpers/fixed-seed.ts';
import { type SheetParts, workbook } from '../../helpers/workbook.ts';
import { readListText } from './read-list.ts';

type Field = 'userId' | 'role' | 'department' | 'isActive';
const FIELDS: readonly Field[] = ['userId', 'role', 'department', 'isActive'];

const people: fc.Arbitrary<NewMember[]> = fc
  .uniqueArray(fc.stringMatching(/^\d{5}$/), { minLength: 1, maxLength: 8 })
  .chain((ids) =>
    fc.tuple(
      ...ids.map((userId) =>
        fc.record({
          userId: fc.constant(userId),
          role: fc.constantFrom('employee', 'admin'),
          department: fc.constantFrom('it', '人事', 'R and D'),
          isActive: fc.boolean(),
        }),
      ),
    ),
  );

/** Ways to write a text so that a person sees the same. */
const TEXTS: readonly ((text: string, shared: (xml: string) => number) => string)[] = [
  (text) => `t="inlineStr"><is><t>${text}</t></is>`,
  (text) => `t="inlineStr"><v>0</v><is><r><t>${text.slice(0, 1)}</t></r><r><t>${text.slice(1)}</t></r></is>`,
  (text) => `t="inlineStr"><is><t>${text}</t><rPh sb="0" eb="1"><t>ジ</t></rPh></is>`,
  (text) => `t="str"><f>A1</f><v>${text}</v>`,
  (text, shared) => `t="s"><v>${shared(`<t>${text}</t>`)}</v>`,
  (text, shared) => `t="s"><v>${shared(`<t>${text}</t><rPh sb="0" eb="1"><t>ジ</t></rPh>`)}</v>`,
];

/** Ways to write the values of each field. */
const WAYS: Record<Field, typeof TEXTS> = {
  userId: [...TEXTS, (text) => `s="1"><v>${Number(text)}</v>`, (text) => `s="1"><f>A1</f><v>${Number(text)}</v>`],
  role: TEXTS,
  department: TEXTS,
  isActive: [...TEXTS, (text) => `t="b"><v>${text === 'true' ? 1 : 0}</v>`],
};
const BLANK = ['', ' s="1"', ' t="s"', ' t="b"', ' t="n"', ' t="str"'];

/** What a sheet has besides its values. */
interface Looks {
  /** Numbers that choose how each value is written. */
  draws: readonly number[];
  columns: readonly Field[];
  hasReferences: boolean;
  isMerged: boolean;
  blankRows: boolean;
  sheets: 'one' | 'blank first' | 'hidden first' | 'named';
}

const looks: fc.Arbitrary<Looks> = fc.record({
  draws: fc.array(fc.nat(100), { minLength: 40, maxLength: 40 }),
  columns: fc.shuffledSubarray([...FIELDS], { minLength: 4 }),
  hasReferences: fc.boolean(),
  isMerged: fc.boolean(),
  blankRows: fc.boolean(),
  sheets: fc.constantFrom('one', 'blank first', 'hidden first', 'named'),
});

/** A change to the row of a person after which nobody can know what to send. */
interface Spoiled {
  person: number;
  how: 'hidden' | 'formula' | 'struck' | 'date' | 'digits' | 'merged ID';
  field: Field;
}

/** Writes people in a workbook with these looks. */
function written(list: readonly NewMember[], look: Looks, spoiled?: Spoiled): Buffer {
  const { columns, hasReferences } = look;
  const strings: string[] = ['<si><t>wrong</t></si>'];
  const shared = (xml: string) => strings.push(`<si>${xml}</si>`) - 1;
  const draws = [...look.draws];
  const draw = <T>(values: readonly T[]) => {
    draws.push(draws.shift() ?? 0);
    return values[(draws[0] ?? 0) % values.length] as T;
  };
  const letterOf = (field: Field) => String.fromCharCode(65 + columns.indexOf(field));
  const rows: string[] = [];
  const addRow = (cellOf: (field: Field) => string, attributes = '') => {
    const line = rows.length + 1;
    const cells = columns.map(
      (field) => `<c ${hasReferences ? `r="${letterOf(field)}${line}" ` : ''}${cellOf(field)}</c>`,
    );
    rows.push(`<row${hasReferences ? ` r="${line}"` : ''}${attributes}>${cells.join('')}</row>`);
  };
  addRow((field) => draw(TEXTS)(field, shared));
  /** The last line of each merged cell, by its first cell. */
  const merged = new Map<string, string>();
  let above = { department: '', cell: '' };
  for (const [at, person] of list.entries()) {
    if (look.blankRows && draw([true, false])) addRow(() => `${draw(BLANK)}>`);
    const how = spoiled?.person === at ? spoiled.how : undefined;
    const isSpoiled = (field: Field) => (how === 'formula' || how === 'struck') && spoiled?.field === field;
    const line = rows.length + 1;
    const isBelow = look.isMerged && above.department === person.department && !isSpoiled('department');
    if (isBelow) merged.set(above.cell, `${letterOf('department')}${line}`);
    else
      above = {
        department: isSpoiled('department') ? '' : (person.department ?? ''),
        cell: `${letterOf('department')}${line}`,
      };
    if (how === 'merged ID') merged.set(`${letterOf('userId')}${line}`, `${letterOf('userId')}${line + 1}`);
    addRow(
      (field) => {
        if (isSpoiled(field) && how === 'struck') return `s="3" t="inlineStr"><is><t>${person[field]}</t></is>`;
        if (isSpoiled(field)) return draw(['><f>A1</f>', ' t="b"><f>A1</f><v/>']);
        // A merged cell shows its first value, whatever is below it.
        if (field === 'department' && isBelow) return draw(['>', 't="inlineStr"><is><t>covered</t></is>']);
        if (field === 'userId' && how === 'date') return 's="2"><v>46307</v>';
        if (field === 'userId' && how === 'digits') return '><v>1.234567890123457E+18</v>';
        return draw(WAYS[field])(String(person[field]), shared);
      },
      how === 'hidden' ? ' hidden="1"' : '',
    );
  }
  const ranges = [...merged].map(([first, last]) => `<mergeCell ref="${first}:${last}"/>`).join('');
  const after = ranges === '' ? '' : `<mergeCells>${ranges}</mergeCells>`;
  const sheets = sheetsOf({ name: 'Team', data: rows.join(''), after }, look.sheets);
  return workbook(sheets, { strings: strings.join(''), formats: ['00000', 14], font: '<strike/>' });
}

function sheetsOf(team: SheetParts, order: Looks['sheets']): SheetParts[] {
  const other = { name: 'Other', data: '<row><c t="inlineStr"><is><t>userId</t></is></c></row>' };
  if (order === 'blank first') return [{ name: 'Cover', data: '<row><c s="1"/></row>' }, team];
  if (order === 'hidden first') return [{ ...other, hidden: true }, team];
  return order === 'named' ? [other, team] : [team];
}

async function read(bytes: Buffer, { sheets }: Looks) {
  return (await readListText(bytes, sheets === 'named' ? { sheet: 'Team' } : {})).rows.map(({ member }) => member);
}

describe('two workbooks that look the same', () => {
  it('are the same list', async () => {
    await fc.assert(
      fc.asyncProperty(people, looks, async (list, look) => {
        expect(await read(written(list, look), look)).toEqual(list);
      }),
      { numRuns: randomCases(100) },
    );
  });

  it('are the same list without the people of whom nobody can know what to send', async () => {
    const spoiled = fc.record({
      person: fc.nat(7),
      how: fc.constantFrom('hidden', 'formula', 'struck', 'date', 'digits', 'merged ID'),
      field: fc.constantFrom(...FIELDS),
    }) as fc.Arbitrary<Spoiled>;
    await fc.assert(
      fc.asyncProperty(people, looks, spoiled, async (list, look, change) => {
        const person = change.person % list.length;
        const isLost = (at: number) => at === person || (change.how === 'merged ID' && at === person + 1);
        const values = await read(written(list, { ...look, blankRows: false }, { ...change, person }), look);
        expect(values).toEqual(list.map((entry, at) => (isLost(at) ? undefined : entry)));
      }),
      { numRuns: randomCases(100) },
    );
  });
});
