import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { createPaint, type Paint, paintNothing } from '../../src/output/style.ts';
import { type Cell, type Column, renderTable } from '../../src/output/table.ts';
import { style, text } from '../../src/output/text.ts';

const columns: (Column | string)[] = ['id', 'severity', { header: 'rows', align: 'right' }, 'content'];
const rows: Cell[][] = [
  ['fnd_1', 'high', '7', 'Backups are not encrypted and no one has inspected them since the spring'],
  ['fnd_2', 'low', '12', '監査の所見は解決されていません。'],
  ['fnd_3', '', '1000', 'Zoe\u0308 👩‍💻 did it'],
];

interface Choices {
  width: number | undefined;
  paint?: Paint;
}

async function render(
  columns: readonly (Column | string)[],
  rows: Iterable<readonly Cell[]>,
  { width, paint = paintNothing }: Choices,
): Promise<string> {
  const pieces: string[] = [];
  const redact = (cell: string) => cell.replaceAll('secret', '***');
  for await (const piece of renderTable({ columns, rows }, { width, paint, redact })) pieces.push(piece);
  return pieces.join('');
}

const plain = (width?: number) => ({ width });

describe('a table in a pipe', () => {
  it('is not cut, and has columns two spaces apart, no rule and no trailing spaces', async () => {
    expect(await render(columns, rows, plain())).toBe(
      [
        'id     severity  rows  content',
        'fnd_1  high         7  Backups are not encrypted and no one has inspected them since the spring',
        'fnd_2  low         12  監査の所見は解決されていません。',
        'fnd_3  -         1000  Zoe\u0308 👩‍💻 did it',
        '',
      ].join('\n'),
    );
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
  it('is cut in its last column', async () => {
    expect(await render(columns, rows, plain(60))).toBe(
      [
        'id     severity  rows  content',
        `─────  ────────  ────  ${'─'.repeat(37)}`,
        'fnd_1  high         7  Backups are not encrypted and no one…',
        'fnd_2  low         12  監査の所見は解決されていません。',
        'fnd_3  -         1000  Zoe\u0308 👩‍💻 did it',
        '',
      ].join('\n'),
    );
  });

  it('is not cut if it fits', async () => {
    const table = await render(columns, rows, plain(95));
    expect(table).toContain('since the spring\n');
    expect(await render(columns, rows, plain(94))).toContain('since the spri…\n');
  });

  it('becomes records if its columns do not fit', async () => {
    const cut = await render(columns, rows, plain(39));
    expect(cut).toContain('fnd_1  high         7  Backups are not…\n');
    expect(await render(columns, rows, plain(38))).toBe(
      [
        'id: fnd_1',
        'severity: high',
        'rows: 7',
        'content: Backups are not encrypted and no one has inspected them since the spring',
        '',
        'id: fnd_2',
        'severity: low',
        'rows: 12',
        'content: 監査の所見は解決されていません。',
        '',
        'id: fnd_3',
        'severity: -',
        'rows: 1000',
        'content: Zoe\u0308 👩‍💻 did it',
        '',
      ].join('\n'),
    );
  });

  it('becomes records if its last column must be whole and does not fit', async () => {
    const whole = ['type', { header: 'value', isWhole: true }];
    const value = 'v=DKIM1; k=rsa;  p=MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQC監査の所見';
    expect(await render(whole, [['TXT', value]], plain(80))).toContain(`TXT   ${value}\n`);
    expect(await render(whole, [['TXT', value]], plain(60))).toBe(`type: TXT\nvalue: ${value}\n`);
  });

  it('removes secrets before it cuts a cell, and cuts no character in two', async () => {
    const cells = [`${'x'.repeat(10)} secret and more`, `${'👩‍💻'.repeat(20)} zoe\u0308`];
    const lines = (
      await render(
        ['id', 'text'],
        cells.map((cell, at) => [`${at}`, cell]),
        plain(20),
      )
    ).split('\n');
    expect(lines.slice(2)).toEqual(['0   xxxxxxxxxx ***…', `1   ${'👩‍💻'.repeat(7)}…`, '']);
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
      '',
    ];
    const many = samples.map((_, at) => [0, 1, 2].map((shift) => samples[(at + shift) % samples.length] ?? ''));
    for (const width of [80, 120, 200]) {
      // Each line ends in the cut last column: one width means that all columns before it line up.
      const long = many.map((row) => [...row, 'x'.repeat(300)]);
      const lines = (await render(['a', 'b', 'c', 'x'.repeat(300)], long, plain(width))).trimEnd().split('\n');
      expect(new Set(lines.map((line) => stringWidth(line)))).toEqual(new Set([width]));
    }
  });
});

describe('the cells of a table', () => {
  it('have no control characters, in rows and headers', async () => {
    expect(await render([{ header: 'a\x1b[31m' }], [['x\x1b]0;t\x07\ny\u202e'], [text`${'\x1b[1mz'}`]], plain())).toBe(
      'a\\u001b[31m\nx\\u001b]0;t\\u0007 y\\u202e\n\\u001b[1mz\n',
    );
  });

  it('are colored after they are cut, and padded outside the color', async () => {
    const paint = await createPaint({ color: undefined, env: { FORCE_COLOR: '1' }, stream: {} });
    const table = await render(
      [{ header: 'state' }, { header: 'n' }],
      [
        [style.ok('ok'), '1'],
        [style.error('failed'), style.warn('not quite ready for it')],
      ],
      { width: 24, paint },
    );
    expect(table.split('\n')).toEqual([
      '\x1b[1mstate\x1b[22m   \x1b[1mn\x1b[22m',
      '\x1b[2m──────  ────────────────\x1b[22m',
      '\x1b[32mok\x1b[39m      1',
      '\x1b[31mfailed\x1b[39m  \x1b[33mnot quite ready…\x1b[39m',
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
    expect(await render(['a', 'b', 'c'], rows, plain(6))).toBe('a: one two\n  three\nb: 1\nc: -\n');
  });

  it.each<[string, number | undefined, number]>([
    ['a pipe', undefined, 1202],
    ['a terminal', 80, 1203],
    ['a narrow terminal', 4, 3600],
  ])('may be in 1,200 rows in %s, below one header', async (_name, width, lines) => {
    const rows = Array.from({ length: 1200 }, (_, at) => [`${at}`, 'x'.repeat(4)]);
    const text = await render(['n', 'text'], rows, plain(width));
    expect(text.split('\n')).toHaveLength(lines);
    expect(text.match(/^n +text$/gm) ?? []).toHaveLength(width === 4 ? 0 : 1);
    for (const at of [0, 499, 500, 999, 1000, 1199])
      expect(text).toMatch(new RegExp(`^(?:n: )?${at}(?: +x{4})?$`, 'm'));
  });
});
