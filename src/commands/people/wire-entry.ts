import type { WireEntry } from '../../client/add-members.ts';
import type { Entry } from '../../import/entry.ts';

/**
 * An entry as it goes out (interface 4.2).
 *
 * @param labelName what the service calls `deviceMgmtLabelId`
 */
export function wireEntry(entry: Entry, labelName: string): WireEntry {
  if (entry.deviceMgmtLabelId === undefined || labelName === 'deviceMgmtLabelId') return entry;
  const { deviceMgmtLabelId, ...others } = entry;
  return { ...others, [labelName]: deviceMgmtLabelId };
}
