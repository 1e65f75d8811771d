import { fieldForSpelling, type MemberField, normalizeSpelling, suggestField } from '../../entry.ts';

/** Usual names of fields in exports, the most likely first, normalized. orgadm suggests them, and never assumes them. */
const USUAL_NAMES: Partial<Record<MemberField, readonly string[]>> = {
  userId:
    'id uid username login userlogin employeeid employeenumber employee# workerid externalid objectid userprincipalname samaccountname upn email emailaddress workemail useremail mail primaryemail'.split(
      ' ',
    ),
  role: ['userrole', 'orgrole', 'organizationrole', 'memberrole', 'roles', 'rolename'],
  department: ['departmentname', 'departmentcode', 'orgdepartment'],
};

/** Keys of JSON objects that describe the person; an id in any other object is the id of something else. */
const PERSON_KEYS = new Set(
  'user person profile account member employee worker fields attributes properties'.split(' '),
);

/** Returns the column with the most likely name for a field; undefined if no name is likely. */
export function mostLikely<T extends { readonly name: string }>(
  field: MemberField,
  columns: readonly T[],
): T | undefined {
  const ranked = columns.map((column) => ({ column, rank: likelihood(field, column.name) }));
  const likely = ranked.filter(({ rank }) => rank !== undefined);
  return likely.toSorted((a, b) => (a.rank ?? 0) - (b.rank ?? 0))[0]?.column;
}

/** Whether a name is a usual one for a field. */
export function isLikelyName(field: MemberField, name: string): boolean {
  return likelihood(field, name) !== undefined;
}

/** Returns the rank of a name for a field, from 0 for the most likely one; undefined if it is not likely. */
function likelihood(field: MemberField, name: string): number | undefined {
  // Google Workspace adds remarks to its columns: "Email Address [Required]".
  const keys = name
    .replace(/ \[.*\]$/, '')
    .split('.')
    .filter((key) => !/^\d+$/.test(key));
  const last = keys.pop() ?? '';
  if (field !== 'department' && !keys.every((key) => PERSON_KEYS.has(key.toLowerCase()))) return undefined;
  if (fieldForSpelling(last) === field) return 0;
  if (suggestField(last) === field) return 1;
  const rank = USUAL_NAMES[field]?.indexOf(normalizeSpelling(last)) ?? -1;
  return rank < 0 ? undefined : rank + 2;
}
