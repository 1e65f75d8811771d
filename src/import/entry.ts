/** One element of `members` in the request of interface 4.2, typed as it goes out. */
export type MemberEntry = {
  userId: string;
  role: string;
  department?: string;
  isActive?: boolean;
  deviceMgmtLabelId?: number;
};

/** The fields of an entry (interface 4.2), in the order in which they are told. */
export const MEMBER_FIELDS = ['userId', 'role', 'department', 'isActive', 'deviceMgmtLabelId'] as const;

/** The name of one field of an entry. */
export type MemberField = (typeof MEMBER_FIELDS)[number];

/** Tells whether `name` is a field's exact name. */
export function isField(name: string): name is MemberField {
  return (MEMBER_FIELDS as readonly string[]).includes(name);
}
