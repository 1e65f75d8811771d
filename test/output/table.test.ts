import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { createPaint, type Paint, paintNothing } from '../../src/output/style.ts';
import { type Cell, type Column, renderTable } from '../../src/output/table.ts';
import { plainText, style, type Text, text } from '../../src/output/text.ts';

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

interface Choices {
  width: number | undefined;
  paint?: Paint;
  notes?: string[];
}

async function render(
  columns: readonly (Column | string)[],
  rows: Iterable<readonly Cell[]>,
  { width, paint = paintNothing, notes = [] }: Choices,
): Promise<string> {
  const pieces: string[] = [];
  const target = {
    width,
    paint,
    redact: (cell: string) => cell,
    note: (message: Text) => notes.push(plainText(message)),
  };
  for await (const piece of renderTable({ columns, rows }, target)) pieces.push(piece);
  return pieces.join('');
}

const plain = (width?: number) => ({ width });

describe('a table in a pipe', () => {
  it('is not cut, and has columns two spaces apart, no rule and no trailing spaces', async () => {
    expect(await render(columns, rows, plain())).toBe(
      [
        'id     severity  content                                                                   rows',
        'fnd_1  high      Backups are not encrypted and no one has inspected them since the spring     7',
        'fnd_2  low       監査の所見は解決されていません。                                            12',
        'fnd_3  -         Zoe\u0308 👩‍💻 did it                                                             1000',
        '',
      ].join('\n'),
    );
  });

  it('does not wrap', async () => {
    expect((await render([{ header: 'a', wrap: true }], [['word '.repeat(100)]], plain())).split('\n')).toHaveLength(3);
  });
});

describe('a long cell of a table in a pipe', () => {
  it('makes only its own line longer', async () => {
    const id = 'x'.repeat(100_000);
    const table = await render(
      ['id', 'state'],
      [
        ['usr_1', 'ok'],
        [id, 'failed'],
        ['usr_20', 'ok'],
      ],
      plain(),
    );
    expect(table.split('\n').map((line) => line.replace(id, '<id>'))).toEqual([
      'id      state',
      'usr_1   ok',
      '<id>  failed',
      'usr_20  ok',
      '',
    ]);
  });
});

describe('a table on a terminal', () => {
  it('fits a terminal of 80 columns', async () => {
    expect(await render(columns, rows, plain(80))).toBe(
      [
        'id     severity  content                                                    rows',
        '─────  ────────  ─────────────────────────────────────────────────────────  ────',
        'fnd_1  high      Backups are not encrypted and no one has inspected them…      7',
        'fnd_2  low       監査の所見は解決されていません。                             12',
        'fnd_3  -         Zoe\u0308 👩‍💻 did it                                              1000',
        '',
      ].join('\n'),
    );
  });

  it('continues a column that may wrap on the next lines, next to blank cells', async () => {
    const table = await render(
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

  it('leaves out columns in their order until the others fit, and names them in a note', async () => {
    const three: Column[] = [
      { header: 'first', dropOrder: 2 },
      { header: 'second' },
      { header: 'third', dropOrder: 1 },
    ];
    const rows = [['a'.repeat(10), 'b'.repeat(10), 'c'.repeat(10)]];
    const headerAt = async (width: number) => (await render(three, rows, plain(width))).split('\n')[0]?.split(/ +/);
    expect(await headerAt(28)).toEqual(['first', 'second', 'third']);
    expect(await headerAt(27)).toEqual(['first', 'second']);
    expect(await headerAt(17)).toEqual(['second']);
    expect(await render(three, rows, plain(7))).toContain('third:');
    const notes: string[] = [];
    await render(three, rows, { width: 17, notes });
    expect(notes).toEqual(['columns that do not fit the terminal: first, third. To see them, use -o csv.']);
  });

  it('becomes records if its columns do not fit', async () => {
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
    expect(await render(six, [row, ['fnd_2', 'low', 'open', '', 'Short', '']], plain(40))).toBe(
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
        'type: -',
        'content: Short',
        'created: -',
        '',
      ].join('\n'),
    );
  });

  it('cuts no character in two', async () => {
    const table = await render(['id', 'text'], [['1', `${'👩‍💻'.repeat(20)} zoe\u0308`]], plain(20));
    expect(table.split('\n')[2]).toBe(`1   ${'👩‍💻'.repeat(7)}…`);
  });

  it('is never wider than the terminal, and its columns are aligned, whatever the script', async () => {
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
      const fencedRows = many.map((row) => [...row, '|']);
      const lines = (await render(fenced, fencedRows, plain(width))).trimEnd().split('\n');
      const widths = new Set(lines.map((line) => stringWidth(line)));
      expect(lines).toHaveLength(13);
      // Each line ends in the fence of the last column: one width means that all columns before it line up.
      expect(widths.size).toBe(1);
      expect([...widths][0]).toBeLessThanOrEqual(width);
    }
  });
});

describe('the cells of a table', () => {
  it('have no control characters, in rows and headers', async () => {
    expect(await render([{ header: 'a\x1b[31m' }], [['x\x1b]0;t\x07\ny\u202e'], [text`${'\x1b[1mz'}`]], plain())).toBe(
      'a\nx y\\u202e\nz\n',
    );
  });

  it('are colored after they are cut, and padded outside the color', async () => {
    const paint = await createPaint({ color: undefined, env: { FORCE_COLOR: '1' }, stream: {} });
    const table = await render(
      [{ header: 'state' }, { header: 'n' }],
      [
        [style.ok('ok'), '1'],
        [style.error('not quite ready'), '2'],
      ],
      { width: 15, paint },
    );
    expect(table.split('\n')).toEqual([
      '\x1b[1mstate\x1b[22m         \x1b[1mn\x1b[22m',
      '\x1b[2m────────────  ─\x1b[22m',
      '\x1b[32mok\x1b[39m            1',
      '\x1b[31mnot quite r…\x1b[39m  2',
      '',
    ]);
  });

  it('have no color if their parts differ in it', async () => {
    const paint = await createPaint({ color: undefined, env: { FORCE_COLOR: '1' }, stream: {} });
    const cells = [text`${style.ok('ok')} so far`, text`${style.ok('ok')}${style.ok(' too')}`];
    expect(await render(['a', 'b'], [cells], { width: undefined, paint })).toMatch(/\nok so far {2}\x1b\[32mok too/);
  });

  it('are - if they are missing or blank, and not shown beyond the columns', async () => {
    expect(await render([{ header: 'a' }, { header: 'b' }], [['1'], [' ', '2', '3']], plain())).toBe(
      'a  b\n1  -\n-  2\n',
    );
  });

  it('may have lines of their own, but a line break in untrusted text is a space', async () => {
    const rows = [[text`${'one\ntwo'}\nthree`, '1']];
    expect(await render(['a', 'b'], rows, plain())).toBe('a        b\none two  1\nthree\n');
    expect(await render(['a', 'b'], rows, plain(40))).toBe('a        b\n───────  ─\none two  1\nthree\n');
    expect(await render(['a', 'b', 'c'], rows, plain(6))).toBe('a:\n  one\n  two\n  three\nb: 1\nc: -\n');
  });

  it.each<[string, number | undefined, number]>([
    ['a pipe', undefined, 1202],
    ['a terminal', 80, 1203],
    ['a narrow terminal', 4, 5990],
  ])('may be in 1,200 rows in %s, below one header', async (_name, width, lines) => {
    const rows = Array.from({ length: 1200 }, (_, at) => [`${at}`, 'x'.repeat(4)]);
    const text = await render(['n', 'text'], rows, plain(width));
    expect(text.split('\n')).toHaveLength(lines);
    expect(text.match(/^n +text$/gm) ?? []).toHaveLength(width === 4 ? 0 : 1);
    for (const at of [0, 499, 500, 999, 1000, 1199])
      expect(text).toMatch(new RegExp(`^(?:n: |  )?${at}(?: +x{4})?$`, 'm'));
  });
});

describe('a column that people copy', () => {
  const records: Column[] = [
    { header: 'type' },
    { header: 'value', min: Number.POSITIVE_INFINITY },
    { header: 'reason' },
  ];
  const value = 'v=DKIM1; k=rsa;  p=MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQC監査の所見';

  it('is never cut, while others are', async () => {
    expect(await render(records, [['TXT', value, 'pending_domain_verification']], plain(90))).toBe(
      [
        'type  value                                                                 reason',
        `────  ${'─'.repeat(68)}  ${'─'.repeat(14)}`,
        `TXT   ${value}  pending_domai…`,
        '',
      ].join('\n'),
    );
  });

  it('is on one line below its label, which the terminal continues, if it does not fit', async () => {
    expect(await render(records, [['TXT', value, 'ownership']], plain(60))).toBe(
      `type: TXT\nvalue:\n${value}\nreason: ownership\n`,
    );
  });
});
