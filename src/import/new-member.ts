/** The value of a field of a member. */
export type FieldValue = string | number | boolean;

/** One element of `members` in the request of interface 4.2, typed as it is sent. */
export type NewMember = {
  userId: string;
  role: string;
  department?: string;
  isActive?: boolean;
  deviceMgmtLabelId?: number;
};

/**
 * Returns a member as it is sent (interface 4.2).
 *
 * @param labelName the service's name of `deviceMgmtLabelId`
 */
export function toWireMember(member: NewMember, labelName: string): Readonly<Record<string, FieldValue>> {
  if (member.deviceMgmtLabelId === undefined || labelName === 'deviceMgmtLabelId') return member;
  const { deviceMgmtLabelId, ...others } = member;
  return { ...others, [labelName]: deviceMgmtLabelId };
}

/** The fields of a member (interface 4.2), in the order in which they are listed. */
export const MEMBER_FIELDS = ['userId', 'role', 'department', 'isActive', 'deviceMgmtLabelId'] as const;

/** The name of one field of a member. */
export type MemberField = (typeof MEMBER_FIELDS)[number];

/** The header of an errors file: the fields of a row, its line in the list, and what is wrong with it. */
export const ERRORS_FILE_HEADER = [...MEMBER_FIELDS, 'line', 'error'] as const;

/** Whether a list is an errors file, whose last two columns need no decision: its header has exactly these names. */
export function isErrorsFile(header: readonly string[]): boolean {
  return header.length === ERRORS_FILE_HEADER.length && ERRORS_FILE_HEADER.every((name, at) => name === header[at]);
}
