import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { createPaint, type Paint, paintNothing } from '../../src/output/style.ts';
import { type Cell, type Column, renderTable } from '../../src/output/table.ts';
import { style, text } from '../../src/output/text.ts';

const COLUMNS: (Column | string)[] = ['id', 'severity', { header: 'rows', align: 'right' }, 'content'];
const ROWS: Cell[][] = [
  ['fnd_1', 'high', '7', 'Backups are not encrypted and no one has inspected them since the spring'],
  ['fnd_2', 'low', '12', '監査の所見は解決されていません。'],
  ['fnd_3', '', '1000', 'Zoe\u0308 👩‍💻 did it'],
];

/** Renders a table for a terminal of this width, or for a pipe. */
async function render(
  columns: readonly (Column | string)[],
  rows: Iterable<readonly Cell[]>,
  width?: number,
  paint: Paint = paintNothing,
): Promise<string> {
  const pieces: string[] = [];
  const redact = (cell: string) => cell.replaceAll('secret', '***');
  for await (const piece of renderTable({ columns, rows }, { width, paint, redact })) pieces.push(piece);
  return pieces.join('');
}

describe('a table', () => {
  it('is not cut in a pipe, where a long cell makes only its own line longer', async () => {
    expect(await render(COLUMNS, [...ROWS, ['x'.repeat(300), 'low', '1', 'a']])).toBe(
      [
        'id     severity  rows  content',
        'fnd_1  high         7  Backups are not encrypted and no one has inspected them since the spring',
        'fnd_2  low         12  監査の所見は解決されていません。',
        'fnd_3  -         1000  Zoe\u0308 👩‍💻 did it',
        `${'x'.repeat(300)}  low          1  a`,
        '',
      ].join('\n'),
    );
  });

  it('is cut in its last column on a terminal, if it does not fit', async () => {
    expect(await render(COLUMNS, ROWS, 60)).toBe(
      [
        'id     severity  rows  content',
        `─────  ────────  ────  ${'─'.repeat(37)}`,
        'fnd_1  high         7  Backups are not encrypted and no one…',
        'fnd_2  low         12  監査の所見は解決されていません。',
        'fnd_3  -         1000  Zoe\u0308 👩‍💻 did it',
        '',
      ].join('\n'),
    );
    expect(await render(COLUMNS, ROWS, 95)).toContain('since the spring\n');
  });

  it('becomes records if its columns do not fit', async () => {
    expect(await render(COLUMNS, ROWS, 39)).toContain('fnd_1  high         7  Backups are not…\n');
    expect(await render(COLUMNS, ROWS.slice(1), 38)).toBe(
      [
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
    expect(await render(whole, [['TXT', value]], 80)).toContain(`TXT   ${value}\n`);
    expect(await render(whole, [['TXT', value]], 60)).toBe(`type: TXT\nvalue: ${value}\n`);
  });

  it('has no secrets, which are removed before a cell is cut, and no half of a character', async () => {
    const rows = [`${'x'.repeat(10)} secret and more`, '👩‍💻'.repeat(20)].map((cell, at) => [`${at}`, cell]);
    const lines = (await render(['id', 'text'], rows, 20)).split('\n');
    expect(lines.slice(2)).toEqual(['0   xxxxxxxxxx ***…', `1   ${'👩‍💻'.repeat(7)}…`, '']);
  });

  it('has aligned columns and the width of the terminal, whatever the script', async () => {
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
    // Each line ends in the cut last column: one width means that all columns before it line up.
    const rows = samples.map((_, at) => [
      ...[0, 1, 2].map((shift) => samples[(at + shift) % samples.length] ?? ''),
      'x'.repeat(300),
    ]);
    const lines = (await render(['a', 'b', 'c', 'x'.repeat(300)], rows, 80)).trimEnd().split('\n');
    expect(new Set(lines.map((line) => stringWidth(line)))).toEqual(new Set([80]));
  });

  it('is colored after its cells are cut, and padded outside the color', async () => {
    const paint = await createPaint({ color: undefined, env: { FORCE_COLOR: '1' }, stream: {} });
    const rows = [
      [style.ok('ok'), '1'],
      [style.error('failed'), style.warn('not quite ready for it')],
    ];
    expect((await render(['state', 'n'], rows, 24, paint)).split('\n')).toEqual([
      '\x1b[1mstate\x1b[22m   \x1b[1mn\x1b[22m',
      '\x1b[2m──────  ────────────────\x1b[22m',
      '\x1b[32mok\x1b[39m      1',
      '\x1b[31mfailed\x1b[39m  \x1b[33mnot quite ready…\x1b[39m',
      '',
    ]);
  });

  it('may have lines of its own in a cell, but a line break in untrusted text is a space', async () => {
    const rows = [[text`${'one\ntwo\x1b[2J'}\nthree`, '1']];
    expect(await render(['a\x07', 'b'], rows)).toBe('a\\u0007           b\none two\\u001b[2J  1\nthree\n');
    expect(await render(['a', 'b', 'c'], rows, 6)).toBe('a: one two\\u001b[2J\n  three\nb: 1\nc: -\n');
  });

  it.each([
    ['a pipe', undefined, 1202],
    ['a terminal', 80, 1203],
  ])('has one header above 1,200 rows in %s', async (_name, width, lines) => {
    const rows = Array.from({ length: 1200 }, (_, at) => [`${at}`, 'xxxx']);
    const rendered = await render(['n', 'text'], rows, width);
    expect(rendered.match(/^n +text$/gm)).toHaveLength(1);
    expect(rendered.match(/^\d+ +xxxx$/gm)?.map((line) => Number.parseInt(line, 10))).toEqual(rows.map((_, at) => at));
    expect(rendered.split('\n')).toHaveLength(lines);
  });
});
