import { UsageError } from './errors.ts';

const TRUE = ['true', 'yes', 'on', '1'];
const FALSE = ['false', 'no', 'off', '0'];

/**
 * Parses a boolean: true, yes, on, 1 or false, no, off, 0, in any case.
 *
 * @param name the option or setting, for the error
 * @throws UsageError for anything else
 */
export function parseBoolean(text: string, name: string): boolean {
  const word = text.trim().toLowerCase();
  if (TRUE.includes(word)) return true;
  if (FALSE.includes(word)) return false;
  throw new UsageError(
    `${name}: "${text}" is not a boolean`,
    'Use true or false (yes, no, on, off, 1 and 0 are also accepted).',
  );
}
