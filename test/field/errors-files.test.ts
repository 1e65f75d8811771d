import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { addsMembers } from '../helpers/people-service.ts';
import { createCommandRunner } from '../helpers/service-run.ts';
import { type SheetParts, type WorkbookParts, workbook } from '../helpers/workbook.ts';
import { type List, pathOf } from './field-lists.ts';

const text = (content: string) => `<c t="inlineStr"><is><t>${content}</t></is></c>`;
const row = (...cells: string[]) => `<row>${cells.join('')}</row>`;
const texts = (names: string) => row(...names.split(',').map(text));
/** A cell in the first cell style. */
const styled = (content: string) => text(content).replace('<c', '<c s="1"');

/** A workbook with one person, and this row below. */
function team(last: string, sheet: Partial<SheetParts> = {}, parts: WorkbookParts = {}): List {
  const data = texts('userId,role,department,isActive') + texts('101,employee,it,true') + last;
  return ['team.xlsx', workbook([{ name: 'Team', data, ...sheet }], parts)];
}

interface ErrorsFileCase {
  readonly list: List;
  readonly args?: readonly string[];
  /** What a person sees in the list. */
  readonly sees: string;
}

const CASES: ErrorsFileCase[] = [
  {
    list: team(texts('102,employee,it,true').replace('<row', '<row hidden="1"')),
    sees: 'nobody, because a filter hides the row',
  },
  {
    list: team(row(styled('102'), styled('employee'), text('it'), text('true')), {}, { font: '<strike/>' }),
    sees: 'a person who is struck out',
  },
  {
    list: team(row(text('102'), text('employee'), styled('it')), {}, { font: '<strike/>' }),
    args: ['--map-value', 'department:hr=people', '--map-value', 'department:*=other'],
    sees: 'a department that is struck out, in a list whose other departments are translated',
  },
  {
    list: team(row(text('102'), text('employee'), text('it'), '<c s="1"><v>1</v></c>'), {}, { formats: [';;;'] }),
    sees: 'a blank status, because its format hides it',
  },
  {
    list: team(
      row(text('102'), text('employee'), text('it'), '<c s="1"><v>1</v></c>'),
      {},
      { formats: ['[=1]"left"'] },
    ),
    sees: 'the text that a format shows in place of a status',
  },
  {
    list: 'ids-as-dates/team.xlsx',
    sees: 'a date where an ID was typed, and IDs whose last digits Excel has replaced by zeros',
  },
  {
    list: team(texts('102,employee,hr') + texts(',employee,hr'), {
      after: '<mergeCells><mergeCell ref="A3:A4"/></mergeCells>',
    }),
    sees: 'one ID next to two roles',
  },
  {
    list: team(texts('Total,2,2'), { summaries: ['<table ref="A1:D3" totalsRowCount="1"/>'] }),
    sees: 'the totals of a table',
  },
  {
    list: 'unsaved-formulas/openpyxl.xlsx',
    sees: 'a department and a status that Excel calculates from formulas whose results were never saved',
  },
  {
    list: ['a.csv', 'userId,role,title\nu1,employee,Head of\nSales,EMEA\nu2,employee,Clerk\n'],
    args: ['--ignore-extra-columns', '--default', 'isActive=true'],
    sees: 'a person on two lines',
  },
  {
    list: ['a.csv', 'userId,role,department\nu1,employee,it\nu2,employee,Human\nu3\nu4,employee,it\n'],
    args: ['--default', 'role=employee'],
    sees: 'a row that has only an ID, which may be the rest of a department, in a list in which a blank role has a default',
  },
  {
    list: ['a.csv', 'userId,department,role\nu1,it,admin\n\nu2,it\n'],
    args: ['--default', 'role=employee'],
    sees: 'a row that ends before the role, in a list in which a blank role has a default',
  },
  {
    list: ['a.csv', 'userId,role,name,department,notes\nu1,employee,Ada,it,\nu2,employee,Chen, Bo,hr,\n'],
    args: ['--ignore-extra-columns', '--default', 'isActive=true'],
    sees: 'a comma in a name, which shifts the columns after it',
  },
  {
    list: ['a.csv', 'userId,role,department\nu1,employee,"it\nu2,employee,hr\nu3,employee,x"\nu4,employee,it\n'],
    sees: 'three people, and a quote that nobody has closed after the first department',
  },
  {
    list: ['a.csv', 'userId,role,department\nu1,"employee\nu2,employee"\nu4,employee,it\n'],
    sees: 'two short rows, and a quote that nobody has closed after the first role',
  },
  ...['u1,"employee,it,Clerk\nu2,employee",it,Clerk', 'u1,"employee,it\nu2,employee",it'].map((rows) => ({
    list: ['a.csv', `userId,role,department,title\nu4,employee,it,Clerk\n${rows}\n`] as const,
    args: ['--ignore-extra-columns', '--default', 'isActive=true'],
    sees: `two people, and quotes around parts of both: ${JSON.stringify(rows)}`,
  })),
];

describe('an errors file that nobody has fixed', () => {
  const cli = createCommandRunner();
  const cases = CASES.map((one) => [one.sees, one] as const);

  it.each(cases)('adds nobody if its list shows %s', async (_sees, { list, args = [] }) => {
    const file = typeof list === 'string' ? pathOf(list) : cli.file(list[0]);
    if (typeof list !== 'string') writeFileSync(file, list[1]);
    const rejected = cli.file('rejected.csv');
    const { service, run } = await cli.scripted(addsMembers());
    const first = await run(['people', 'bulk-add', file, ...args, '--invalid', 'skip', '--errors-file', rejected]);
    const added = service.requests.length;
    expect({ code: first.code, added }, first.stderr).toEqual({ code: 3, added: 1 });
    const again = await run(['people', 'bulk-add', rejected]);
    expect({ code: again.code, added: service.requests.length }, again.stdout).toEqual({ code: 2, added });
  });
});
