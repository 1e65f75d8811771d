import { quote, quoteAll, quoteForShell } from '../../../output/sanitize.ts';
import { UsageError } from '../../../util/errors.ts';
import type { BoundField } from '../fields/field-value.ts';
import { PLACEHOLDERS } from './placeholders.ts';

/** Letters and digits of a status column, of which only some are booleans. */
export interface StatusCodes {
  readonly column: string;
  readonly isInverted: boolean;
  readonly booleans: readonly string[];
  readonly others: readonly string[];
}

/**
 * Finds a status that is a letter or a digit, and not always a boolean: in a column of A, L, and T, the T means terminated, and
 * in one of 1, 2, and 3, the 1 may mean inactive. The rows of the others are invalid, so only the wrong people would be left.
 */
export function findStatusCodes(fields: readonly BoundField[]): StatusCodes | undefined {
  for (const { name, known, column = name, translations, isInverted, isOneOfSeveral } of fields) {
    if (name !== 'isActive' || translations !== undefined || isOneOfSeveral) continue;
    const codes = [...(known ?? [])].filter(([text]) => /^\s*[a-z\d]\s*$/i.test(text));
    const textsOf = (isBoolean: boolean) => [
      ...new Set(codes.filter(([, read]) => 'value' in read === isBoolean).map(([text]) => text.trim())),
    ];
    const [booleans, others] = [textsOf(true), textsOf(false)];
    if (booleans.length > 0 && others.length > 0) return { column, isInverted, booleans, others };
  }
  return undefined;
}

/** Returns the error for such a column, with the options that say what its values mean. */
export function statusCodesError(list: string, { column, isInverted, booleans, others }: StatusCodes): UsageError {
  const options = [...booleans, ...others].map(
    (text) => `--map-value ${quoteForShell(`isActive:${text}=${PLACEHOLDERS.isActive}`)}`,
  );
  return new UsageError(
    `${list}: ${quoteAll(booleans)} may mean something other than true or false in the column ${quote(column)}, which also has ${quoteAll(others)}`,
    `Say who is active${isInverted ? ', and remove the "!"' : ''}: ${options.join(' ')}`,
    'bad-list',
  );
}
