import { describe, expect, it } from 'vitest';
import { wrapCell, wrapText } from '../../src/output/wrap.ts';

describe('wrapText', () => {
  it.each<[string, number, string, string]>([
    ['keeps what fits', 20, 'one two\n\nthree', 'one two\n\nthree'],
    ['breaks at spaces', 7, 'one two three', 'one two\nthree'],
    [
      'does not break long words',
      10,
      'see https://api.example.com/v1 for it',
      'see\nhttps://api.example.com/v1\nfor it',
    ],
    ['measures columns, not characters', 9, '監査 の 所見 ok', '監査 の\n所見 ok'],
    ['does not count colors', 7, '\x1b[31mone two\x1b[39m three', '\x1b[31mone two\x1b[39m\nthree'],
    ['indents what follows an indented line', 16, '  one two three four', '  one two three\n      four'],
    ['continues comments as comments', 12, '  # Try it at once', '  # Try it\n  # at once'],
  ])('%s', (_name, width, text, wrapped) => {
    expect(wrapText(text, width)).toBe(wrapped);
  });

  it('continues a message with an indent, so that no line of it looks like another message', () => {
    expect(wrapText('error: one error: two', 14, '  ')).toBe('error: one\n  error: two');
  });

  it('continues the description of an item below its start', () => {
    const item = '  --map <field>  read a field from this column of the list';
    expect(wrapText(item, 50)).toBe('  --map <field>  read a field from this column of\n                 the list');
  });

  it('puts descriptions below their terms where there is no room next to them', () => {
    const items = '  --map <field>  read a field from this column\n  --sheet        a sheet';
    expect(wrapText(items, 36)).toBe('  --map <field>\n      read a field from this column\n  --sheet\n      a sheet');
  });

  it.each([
    [
      'after a colon, below it',
      'to continue: orgadm people bulk-add members.csv',
      'to continue:\n  orgadm people bulk-add members.csv',
    ],
    [
      'after a label, below it',
      'hint: Try: orgadm people bulk-add members.csv',
      'hint: Try:\n  orgadm people bulk-add members.csv',
    ],
    ['after a prompt', '  $ orgadm findings list --task tsk_0001', '  $ orgadm findings list --task tsk_0001'],
    ['indented', '  orgadm findings list --task tsk_0001', '  orgadm findings list --task tsk_0001'],
    [
      'with two spaces in a name',
      "  orgadm people bulk-add 'my  long list.csv'",
      "  orgadm people bulk-add 'my  long list.csv'",
    ],
  ])('leaves a command %s, in one piece, so that it can be pasted', (_name, text, wrapped) => {
    expect(wrapText(text, 30)).toBe(wrapped);
  });

  it('reads an error whose sentence begins with the name of the program as prose', () => {
    const error = 'error: --errors-file a.json: orgadm writes the rows as csv';
    expect(wrapText(error, 40, '  ')).toBe('error: --errors-file a.json: orgadm\n  writes the rows as csv');
  });

  it('reads a sentence that names a command as prose', () => {
    expect(wrapText('hint: orgadm help errors lists the codes.', 32)).toBe(
      'hint: orgadm help errors lists\nthe codes.',
    );
  });
});

describe('wrapCell', () => {
  it.each([
    ['', 5, ['']],
    ['one two three', 7, ['one two', 'three']],
    ['one two three', 3, ['one', 'two', 'thr', 'ee']],
    ['abcdefgh ij', 5, ['abcde', 'fgh', 'ij']],
    ['監査所見', 5, ['監査', '所見']],
    ['one two\nthree', 9, ['one two', 'three']],
  ])('wraps %j at %i columns', (complete, columns, lines) => {
    expect(wrapCell(complete, columns)).toEqual(lines);
  });
});
