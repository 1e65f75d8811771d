/**
 * Breaks a write or a sync of state files in this process.
 *
 * @param breakAt `<call>:<how>:<n>`: at the n-th write or sync, the process kills itself, `half` way through the write or `after`
 * the sync; `full` lets the write and all that follow run out of space half way, `fail` lets the sync fail as a dying disk does,
 * `slow` lets it take as long as on a busy one
 */
export function breakFiles(breakAt: string): void;

/** Ends what `breakFiles` does. Returns whether the call was reached. */
export function repairFiles(): boolean;
