import type { MemberRequestEntry } from '../../client/add-members.ts';
import type { MemberEntry } from '../../import/entry.ts';

/**
 * An entry as it goes out (interface 4.2).
 *
 * @param labelName what the service calls `deviceMgmtLabelId`
 */
export function toWireEntry(entry: MemberEntry, labelName: string): MemberRequestEntry {
  if (entry.deviceMgmtLabelId === undefined || labelName === 'deviceMgmtLabelId') return entry;
  const { deviceMgmtLabelId, ...others } = entry;
  return { ...others, [labelName]: deviceMgmtLabelId };
}
