import { readdirSync, readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { describeFsError, ERROR_CODES } from '../../src/util/errors.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

describe('the list of error codes', () => {
  // The type ErrorCode proves the other direction: no error can be constructed with a code that is not in the list.
  it('contains only codes that an error uses', () => {
    const source = readdirSync('src', { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => readFileSync(join('src', name), 'utf8'))
      .join('\n')
      .replace(/export const ERROR_CODES = \{[^}]*\}/, '');
    const unused = Object.keys(ERROR_CODES).filter((code) => !source.includes(`'${code}'`));
    expect(unused).toEqual([]);
  });
});

describe('describeFsError', () => {
  it('describes the error of the system, and keeps its code', async () => {
    const folder = temporaryFolder().path;
    await writeFile(join(folder, 'file'), '');
    const errorWith = (path: string) => readFile(path).then(() => 'none', describeFsError);
    expect(await errorWith(join(folder, 'none'))).toBe('no such file or directory (ENOENT)');
    expect(await errorWith(folder)).toBe('it is a directory (EISDIR)');
    expect(await errorWith(join(folder, 'file', 'x'))).toBe('not a directory (ENOTDIR)');
  });
});
