import { UsageError } from '../../util/errors.ts';

/** A list without anything in it. */
export function emptyListError(): UsageError {
  return new UsageError(
    'the list is empty',
    'A list of nobody is written as a header without rows, or as []. `orgadm people template` prints one to start from.',
    'empty-list',
  );
}
