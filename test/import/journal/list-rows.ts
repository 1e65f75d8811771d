import type { ListRow } from '../../../src/import/list/open-list.ts';

/** `usr_<first>` to `usr_<last>`. */
export function users(first: number, last: number): string[] {
  return Array.from({ length: last + 1 - first }, (_, at) => `usr_${first + at}`);
}

/** A pass over a list of these users. */
export async function* rowsOf(userIds: readonly string[]): AsyncGenerator<ListRow[]> {
  for (const [at, userId] of userIds.entries()) {
    const value = { userId, role: 'member' };
    yield [{ entry: at + 1, line: at + 2, userId, value, issues: [], raw: { cells: [] } }];
  }
}
