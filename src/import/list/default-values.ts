import { UsageError } from '../../util/errors.ts';
import type { MemberField } from '../entry.ts';
import { EntryBuilder, type FieldValues } from './entry-builder.ts';

/** Checks `--default` values as a cell would be. Throws `UsageError` with all that is wrong with them. */
export function parseDefaults(defaults: ReadonlyMap<MemberField, string>): FieldValues {
  const builder = new EntryBuilder();
  for (const [field, text] of defaults) {
    if (field === 'userId') {
      throw new UsageError(
        '--default userId: every row needs an id of its own',
        'Name its column: --map userId=<column>',
      );
    }
    builder.set(field, text, field);
  }
  if (builder.issues.length > 0) {
    throw new UsageError(builder.issues.map((problem) => `--default ${problem.message}`).join('; '));
  }
  return builder.values;
}
