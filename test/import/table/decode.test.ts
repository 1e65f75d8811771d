import { expect, it } from 'vitest';
import { errorOf, textsOf } from './tables.ts';

const TEXT = 'userId,department\nusr_1,Büro – Süd\n';
const READ = { columns: ['userId', 'department'], rows: [['usr_1', 'Büro – Süd']] };
const utf16be = (text: string) => Buffer.from(text, 'utf16le').swap16();

it.each([
  ['UTF-8', Buffer.from(TEXT), undefined],
  ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${TEXT}`), undefined],
  ['UTF-16LE with a byte order mark', Buffer.from(`\ufeff${TEXT}`, 'utf16le'), undefined],
  ['UTF-16BE with a byte order mark', utf16be(`\ufeff${TEXT}`), undefined],
  ['UTF-16LE with --encoding', Buffer.from(TEXT, 'utf16le'), 'utf-16le'],
  // The dash is a character that Latin-1 does not have.
  ['windows-1252 with --encoding', Buffer.from(TEXT.replace('–', '\x96'), 'latin1'), 'Windows-1252'],
])('reads %s', async (_name, bytes, encoding) => {
  expect(await textsOf(bytes, { encoding, format: 'csv' })).toEqual(READ);
});

it('names the first line that is not in the encoding of the option', async () => {
  const latin1 = Buffer.from('userId,role\nu1,m\nu2,Büro\n', 'latin1');
  expect(await errorOf(latin1, { encoding: 'shift_jis' })).toContain('line 3 is not shift_jis');
  expect(await errorOf(Buffer.from('a\xd8', 'latin1'), { encoding: 'utf-16le' })).toContain('is not utf-16le');
});

it('rejects an unknown encoding, and one that the byte order mark contradicts', async () => {
  expect(await errorOf('a', { encoding: 'latin-9000' })).toContain('"latin-9000" is not a known encoding');
  expect(await errorOf('\ufeffa', { encoding: 'windows-1252' })).toContain('so it is UTF-8');
});
