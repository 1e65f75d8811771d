import { describe, expect, it } from 'vitest';
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

describe('detection of the encoding', () => {
  it.each([
    ['UTF-8', Buffer.from(TEXT)],
    ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${TEXT}`)],
    ['UTF-16 LE', utf16(TEXT, 'le')],
    ['UTF-16 BE', utf16(TEXT, 'be')],
    ['UTF-16 LE without a byte order mark', utf16(TEXT, 'le', false)],
    ['UTF-16 BE without a byte order mark', utf16(TEXT, 'be', false)],
  ])('reads %s', async (_name, bytes) => {
    expect(await valuesOf(bytes)).toEqual(ROWS);
  });

  it.each([
    ['UTF-8', (text: string) => Buffer.from(text)],
    ['UTF-16 LE', (text: string) => utf16(text, 'le')],
    ['UTF-16 BE', (text: string) => utf16(text, 'be')],
  ])('reads %s with characters across every border of its blocks', async (_name, encode) => {
    // Lengths from 1 to 4 bytes, so that borders at multiples of any power of two fall into each of them.
    const ids = Array.from(
      { length: 20_000 },
      (_, index) => `a${'é'.repeat(index % 3)}監${'🎉'.repeat(index % 5)}${index}`,
    );
    const values = await valuesOf(encode(`userId,role\n${ids.map((id) => `${id},m\n`).join('')}`));
    expect(values).toEqual(ids.map((userId) => ({ userId, role: 'm' })));
  });
});

describe('--encoding', () => {
  // ü, ß, €, ’ and Ÿ: the last three are not the same in ISO-8859-1 as the standard has it.
  it.each([
    ['windows-1252', 'fc df 80 92 9f', 'üß€’Ÿ'],
    ['latin1', 'e9 e8', 'éè'],
    ['macintosh', '9f 8a', 'üä'],
    ['shift_jis', '93 8c 8b 9e', '東京'],
    ['utf-16le', '61 00 e9 00', 'aé'],
  ])('reads %s', async (encoding, hex, department) => {
    const ascii = (text: string) => (encoding === 'utf-16le' ? Buffer.from(text, 'utf16le') : Buffer.from(text));
    const bytes = Buffer.concat([
      ascii('userId,role,department\nu1,m,'),
      Buffer.from(hex.replaceAll(' ', ''), 'hex'),
      ascii('\n'),
    ]);
    expect(await valuesOf(bytes, { encoding })).toEqual([{ userId: 'u1', role: 'm', department }]);
  });

  it('rejects an unknown encoding', async () => {
    expect(await listErrorOf('userId,role\n', { encoding: 'ebcdic' })).toEqual({
      message: '--encoding: "ebcdic" is not a known encoding',
      hint: 'Examples: utf-8, utf-16le, windows-1252, iso-8859-2, macintosh, shift_jis, gb18030.',
      code: 'usage',
    });
  });
});

describe('bytes that are not text', () => {
  const latin1 = (text: string) => Buffer.from(text, 'latin1');

  it.each([
    ['Latin-1', latin1('userId,role\nu1,m\nZo\xeb,m\n'), /^line 3 is not valid UTF-8$/],
    ['Latin-1 at the very end', latin1('userId,role\nu1,\xe9'), /^line 2 /],
    ['UTF-16 that breaks off', utf16('userId,role\nu', 'le').subarray(0, -1), / UTF-16$/],
    ['a lone surrogate in UTF-16', utf16('userId,role\n\ud83c,m\n', 'be'), /^the list is not valid UTF-16$/],
  ])('are rejected with their line: %s', async (_name, bytes, message) => {
    expect((await listErrorOf(bytes, { format: 'csv' })).message).toMatch(message);
  });

  it.each([
    ['zero bytes', Buffer.from('userId,role,department\nu\0,m\n')],
    ['a picture', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')],
    ['controls next to bytes of another encoding', latin1('userId,role\n\xe9\x01\x02,m\n')],
  ])('are not called text in another encoding: %s', async (_name, bytes) => {
    expect(await listErrorOf(bytes, { name: 'l.csv' })).toEqual({
      message: 'the list is not a text file',
      hint: 'Export the list as CSV, JSON, or an Excel workbook. Convert UTF-32 to UTF-8.',
      code: 'bad-encoding',
    });
  });

  it('are rejected with their line far into the list', async () => {
    const good = 'userId,role\n'.concat('éé,m\r\n'.repeat(30_000));
    const bytes = Buffer.concat([Buffer.from(good), latin1('\xe9,m\n'), Buffer.from(good)]);
    expect((await listErrorOf(bytes)).message).toMatch(/^line 30002 /);
  });
});
