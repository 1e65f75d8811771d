import { describe, expect, test } from 'vitest';
import { listErrorOf, valuesOf } from './read-list.ts';

const TEXT = 'userId,role,department\nZoë,m,監査\n🎉,m,é\n';
const ROWS = [
  { userId: 'Zoë', role: 'm', department: '監査' },
  { userId: '🎉', role: 'm', department: 'é' },
];

function utf16(text: string, order: 'le' | 'be', mark = true): Buffer {
  const bytes = Buffer.from((mark ? '\ufeff' : '') + text, 'utf16le');
  return order === 'be' ? bytes.swap16() : bytes;
}

describe('the encodings that are read', () => {
  test.each([
    ['UTF-8', Buffer.from(TEXT)],
    ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${TEXT}`)],
    ['UTF-16 LE', utf16(TEXT, 'le')],
    ['UTF-16 BE', utf16(TEXT, 'be')],
  ])('%s', async (_name, bytes) => {
    expect(await valuesOf(bytes)).toEqual(ROWS);
  });

  test.each([
    ['UTF-8', (text: string) => Buffer.from(text)],
    ['UTF-16 LE', (text: string) => utf16(text, 'le')],
    ['UTF-16 BE', (text: string) => utf16(text, 'be')],
  ])('%s, with characters across every border of its blocks', async (_name, encode) => {
    // Lengths from 1 to 4 bytes, so that borders at multiples of any power of two fall into each of them.
    const ids = Array.from(
      { length: 20_000 },
      (_, index) => `a${'é'.repeat(index % 3)}監${'🎉'.repeat(index % 5)}${index}`,
    );
    const values = await valuesOf(encode(`userId,role\n${ids.map((id) => `${id},m\n`).join('')}`));
    expect(values).toEqual(ids.map((userId) => ({ userId, role: 'm' })));
  });
});

describe('bytes that are no text are refused, with their place', () => {
  const latin1 = (text: string) => Buffer.from(text, 'latin1');

  test.each([
    ['Latin-1', latin1('userId,role\nu1,m\nZo\xeb,m\n'), 'byte 0xEB at offset 19 (line 3) is not UTF-8'],
    ['Latin-1 at the very end', latin1('userId,role\nu1,\xe9'), 'byte 0xE9 at offset 15 (line 2) is not UTF-8'],
    ['a continuation byte alone', latin1('userId,role\r\n\x80'), 'byte 0x80 at offset 13 (line 2) is not UTF-8'],
    ['an overlong form', latin1('userId,role\n\xc0\xaf,m\n'), 'byte 0xC0 at offset 12 (line 2) is not UTF-8'],
    ['a surrogate in UTF-8', latin1('userId,role\n\xed\xa0\x80,m\n'), 'byte 0xED at offset 12 (line 2) is not UTF-8'],
    ['a byte that never occurs', latin1('\xfe'), 'byte 0xFE at offset 0 (line 1) is not UTF-8'],
    [
      'a workbook',
      latin1('PK\x03\x04\x14\x00\x06\x00'),
      'the list is a workbook (.xlsx, .ods) or another zip archive, not a text',
    ],
    ['a zero byte', latin1('userId,role\nu\0,m\n'), 'byte 0x00 at offset 13 (line 2) is no text'],
    ['UTF-16 LE without a mark', utf16('userId,role\n', 'le', false), 'byte 0x00 at offset 1 (line 1) is no text'],
    ['UTF-16 BE without a mark', utf16('userId,role\n', 'be', false), 'byte 0x00 at offset 0 (line 1) is no text'],
    [
      'UTF-16 that breaks off',
      utf16('userId,role\nu', 'le').subarray(0, -1),
      'byte 0x75 at offset 26 (line 2) is not UTF-16',
    ],
    [
      'a lone surrogate in UTF-16 LE',
      utf16('userId,role\n\ud83c,m\n', 'le'),
      'byte 0xD8 at offset 27 (line 2) is not UTF-16',
    ],
    [
      'a lone surrogate in UTF-16 BE',
      utf16('userId,role\n\ud83c,m\n', 'be'),
      'byte 0xD8 at offset 26 (line 2) is not UTF-16',
    ],
    [
      'half a pair at the end of UTF-16',
      utf16('userId,role\n\ud83c', 'be'),
      'byte 0xD8 at offset 26 (line 2) is not UTF-16',
    ],
  ])('%s', async (_name, bytes, message) => {
    const rejection = await listErrorOf(bytes, { format: 'csv' });
    expect(rejection.message).toBe(message);
    expect(rejection.hint).toContain('UTF-8');
  });

  test('far into the list', async () => {
    const good = 'userId,role\n'.concat('éé,m\r\n'.repeat(30_000));
    const bytes = Buffer.concat([Buffer.from(good), latin1('\xe9,m\n'), Buffer.from(good)]);
    expect((await listErrorOf(bytes)).message).toBe('byte 0xE9 at offset 240012 (line 30002) is not UTF-8');
  });
});
