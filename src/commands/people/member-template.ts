const CSV = `userId,role,department,isActive,deviceMgmtLabelId
usr_0101,member,it,true,42
usr_0102,admin,hr,false,
`;

const JSON_TEXT = `[
  { "userId": "usr_0101", "role": "member", "department": "it", "isActive": true, "deviceMgmtLabelId": 42 },
  { "userId": "usr_0102", "role": "admin", "department": "hr", "isActive": false }
]
`;

/** A member list to start from: every field of an entry (interface 4.2) and two people. */
export function renderMemberTemplate(format: 'csv' | 'json'): string {
  return format === 'csv' ? CSV : JSON_TEXT;
}
