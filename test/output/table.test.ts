import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { createStyle, plainStyle } from '../../src/output/style.ts';
import { type Cell, type Column, renderTable } from '../../src/output/table.ts';

const columns: Column[] = [
  { header: 'id' },
  { header: 'severity' },
  { header: 'content', weight: 2 },
  { header: 'rows', align: 'right' },
];
const rows: Cell[][] = [
  ['fnd_1', 'high', 'Backups are not encrypted and no one has inspected them since the spring', '7'],
  ['fnd_2', 'low', '監査の所見は解決されていません。', '12'],
  ['fnd_3', '', 'Zoe\u0308 👩‍💻 did it', '1000'],
];

const plain = (width?: number) => ({ width, style: plainStyle });

describe('piped', () => {
  it('nothing is cut, columns stand two spaces apart, no rule, no trailing spaces', () => {
    expect(renderTable(columns, rows, plain())).toBe(
      [
        'id     severity  content                                                                   rows',
        'fnd_1  high      Backups are not encrypted and no one has inspected them since the spring     7',
        'fnd_2  low       監査の所見は解決されていません。                                            12',
        'fnd_3            Zoe\u0308 👩‍💻 did it                                                             1000',
        '',
      ].join('\n'),
    );
  });

  it('a last column of any length adds no spaces to the others', () => {
    const table = renderTable(
      [{ header: 'a' }, { header: 'b' }],
      [
        ['1', 'x'.repeat(50)],
        ['2', ''],
      ],
      plain(),
    );
    expect(table).toBe(`a  b\n1  ${'x'.repeat(50)}\n2\n`);
  });

  it('a wrapping column does not wrap', () => {
    expect(renderTable([{ header: 'a', wrap: true }], [['word '.repeat(100)]], plain()).split('\n')).toHaveLength(3);
  });
});

describe('on a terminal', () => {
  it('fits a terminal of 80 columns', () => {
    expect(renderTable(columns, rows, plain(80))).toBe(
      [
        'id     severity  content                                                    rows',
        '─────  ────────  ─────────────────────────────────────────────────────────  ────',
        'fnd_1  high      Backups are not encrypted and no one has inspected them…      7',
        'fnd_2  low       監査の所見は解決されていません。                             12',
        'fnd_3            Zoe\u0308 👩‍💻 did it                                              1000',
        '',
      ].join('\n'),
    );
  });

  it('uses no more of 200 columns than it needs', () => {
    const [header, rule] = renderTable(columns, rows, plain(200)).split('\n');
    expect(header).toBe(
      'id     severity  content                                                                   rows',
    );
    expect(rule).toBe(`─────  ────────  ${'─'.repeat(72)}  ────`);
  });

  it('cuts the widest columns first at 40 columns', () => {
    expect(renderTable(columns, rows, plain(40))).toBe(
      [
        'id     severity  content            rows',
        '─────  ────────  ─────────────────  ────',
        'fnd_1  high      Backups are not…      7',
        'fnd_2  low       監査の所見は解決…    12',
        'fnd_3            Zoe\u0308 👩‍💻 did it      1000',
        '',
      ].join('\n'),
    );
  });

  it('a wrapping column continues on the next lines, next to blank cells', () => {
    const table = renderTable(
      [{ header: 'id' }, { header: 'text', wrap: true }, { header: 'n', align: 'right' }],
      [
        ['a', 'one two three four', '1'],
        ['b', 'five', '2'],
      ],
      plain(20),
    );
    expect(table).toBe(
      [
        'id  text           n',
        '──  ─────────────  ─',
        'a   one two three  1',
        '    four',
        'b   five           2',
        '',
      ].join('\n'),
    );
  });

  it('too narrow for its columns becomes records', () => {
    const six: Column[] = ['id', 'severity', 'status', 'type', 'content', 'created'].map((header) => ({
      header,
      wrap: header === 'content',
    }));
    const row = [
      'fnd_00000001',
      'critical',
      'ready_for_review',
      'assessment',
      'Backups are not encrypted since the spring',
      '2025-01-01T00:00:00.000Z',
    ];
    expect(renderTable(six, [row, ['fnd_2', 'low', 'open', '', 'Short', '']], plain(40))).toBe(
      [
        'id: fnd_00000001',
        'severity: critical',
        'status: ready_for_review',
        'type: assessment',
        'content:',
        '  Backups are not encrypted since the',
        '  spring',
        'created: 2025-01-01T00:00:00.000Z',
        '',
        'id: fnd_2',
        'severity: low',
        'status: open',
        'type:',
        'content: Short',
        'created:',
        '',
      ].join('\n'),
    );
  });

  it('a minimum keeps an id whole', () => {
    const table = renderTable(
      [{ header: 'id', min: 12 }, { header: 'text' }],
      [['fnd_00000001', 'x'.repeat(30)]],
      plain(24),
    );
    expect(table.split('\n')[2]).toBe('fnd_00000001  xxxxxxxxx…');
  });

  it('no line is ever wider than the terminal, and columns line up, whatever the script', () => {
    const samples = [
      'plain',
      '監査の所見',
      'Zoe\u0308',
      '👩🏽‍💻👨‍👩‍👧',
      'नमस्ते दुनिया',
      'สวัสดีครับ',
      '한국어 텍스트',
      '🇯🇵 flag',
      'x'.repeat(90),
      '監'.repeat(60),
      '',
    ];
    const many = samples.map((_, at) => [0, 1, 2, 3].map((shift) => samples[(at + shift) % samples.length] ?? ''));
    for (const width of [40, 80, 200]) {
      const fenced = [
        ...['a', 'b', 'c', 'd'].map((header) => ({ header, min: 6 })),
        { header: '|', align: 'right' as const },
      ];
      const lines = renderTable(
        fenced,
        many.map((row) => [...row, '|']),
        plain(width),
      )
        .trimEnd()
        .split('\n');
      const widths = new Set(lines.map((line) => stringWidth(line)));
      expect(lines).toHaveLength(13);
      // Each line ends in the fence of the last column: one width means that all columns before it line up.
      expect(widths.size).toBe(1);
      expect([...widths][0]).toBeLessThanOrEqual(width);
    }
    for (const width of [5, 6, 10, 20, 30]) {
      for (const line of renderTable(columns, many, plain(width)).split('\n'))
        expect(stringWidth(line)).toBeLessThanOrEqual(width);
    }
  });
});

describe('cells', () => {
  it('are cleaned, in rows and headers', () => {
    expect(renderTable([{ header: 'a\x1b[31m' }], [['x\x1b]0;t\x07\ny\u202e'], [{ text: '\x1b[1mz' }]], plain())).toBe(
      'a\nx y\\u202e\nz\n',
    );
  });

  it('are painted after cutting, and padded outside the paint', async () => {
    const style = await createStyle({ color: undefined, env: { FORCE_COLOR: '1' }, stream: {} });
    const table = renderTable(
      [{ header: 'state' }, { header: 'n' }],
      [
        [{ text: 'ok', style: style.ok }, '1'],
        [{ text: 'not quite ready', style: style.error }, '2'],
      ],
      { width: 15, style },
    );
    expect(table.split('\n')).toEqual([
      '\x1b[1mstate\x1b[22m         \x1b[1mn\x1b[22m',
      '\x1b[2m────────────  ─\x1b[22m',
      '\x1b[32mok\x1b[39m            1',
      '\x1b[31mnot quite r…\x1b[39m  2',
      '',
    ]);
  });

  it('that are missing are empty, and those beyond the columns are not shown', () => {
    expect(renderTable([{ header: 'a' }, { header: 'b' }], [['1'], ['1', '2', '3']], plain())).toBe('a  b\n1\n1  2\n');
  });

  it('none at all', () => {
    expect(renderTable([{ header: 'a' }], [], plain())).toBe('a\n');
    expect(renderTable([], [['x']], plain())).toBe('');
  });
});
