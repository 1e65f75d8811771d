/**
 * Calls `work` for each item, at most `limit` calls at a time.
 *
 * @returns the results in the order of the items
 * @throws the first error of `work`, after which no further item is started
 */
export async function mapConcurrently<Item, Result>(
  items: readonly Item[],
  limit: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  let failed = false;
  const queue = items.entries();
  const worker = async () => {
    for (const [at, item] of queue) {
      if (failed) return;
      try {
        results[at] = await work(item);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  return results;
}
