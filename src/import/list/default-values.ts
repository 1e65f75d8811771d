import { UsageError } from '../../util/errors.ts';
import type { Field } from '../entry.ts';
import { Draft, type Values } from './entry-builder.ts';

/** Checks `--default` values as a cell would be. Throws `UsageError` with all that is wrong with them. */
export function readDefaults(defaults: ReadonlyMap<Field, string>): Values {
  const draft = new Draft();
  for (const [field, text] of defaults) {
    if (field === 'userId') {
      throw new UsageError(
        '--default userId: every row needs an id of its own',
        'Name its column: --map userId=<column>',
      );
    }
    draft.set(field, text, field);
  }
  if (draft.problems.length > 0) {
    throw new UsageError(draft.problems.map((problem) => `--default ${problem.message}`).join('; '));
  }
  return draft.values;
}
