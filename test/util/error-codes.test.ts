import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ERROR_CODES } from '../../src/util/errors.ts';

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
