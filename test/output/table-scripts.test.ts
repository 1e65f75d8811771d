import { expect, it } from 'vitest';
import { plainStyle } from '../../src/output/style.ts';
import { type Column, renderTable } from '../../src/output/table.ts';

const plain = (width?: number) => ({ width, style: plainStyle });

it('cells may hold private characters, characters of rules, and marks without a base', () => {
  const cells = ['\ue000\ue000', '───', '\u0301', '12'];
  const table = renderTable(
    [{ header: 'a' }, { header: 'b' }, { header: 'c', align: 'right' }, { header: 'd' }],
    [cells, cells.toReversed()],
    plain(40),
  );
  expect(table).toBe(
    [
      'a   b      c  d',
      '──  ───  ───  ──',
      '\ue000\ue000  ───     \u0301  12',
      '12  \u0301     ───  \ue000\ue000',
      '',
    ].join('\n'),
  );
});

it('a table of 1,000 rows of long text in any script is drawn', () => {
  const columns: Column[] = [
    { header: 'id' },
    { header: 'severity' },
    { header: 'content', weight: 2 },
    { header: 'rows', align: 'right' },
  ];
  const long = ['監査の所見は解決されていません👩‍💻 '.repeat(40), 'lorem ipsum dolor sit amet '.repeat(80)];
  const many = Array.from({ length: 1000 }, (_, at) => [`fnd_${at}`, 'high', long[at % 2] ?? '', `${at}`]);
  expect(renderTable(columns, many, plain(120)).split('\n')).toHaveLength(1003);
});

it('a table of 2,000 rows and 30 columns is drawn', () => {
  const wide = Array.from({ length: 30 }, (_, at) => ({ header: `${at}` }));
  expect(renderTable(wide, Array(2000).fill([]), plain()).split('\n')).toHaveLength(2002);
});
