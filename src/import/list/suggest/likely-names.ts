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

/** Returns the column with the most likely name for a field; undefined if no name is likely. */
export function mostLikely<T extends { readonly name: string }>(
  field: MemberField,
  columns: readonly T[],
): T | undefined {
  const usual = USUAL_NAMES[field] ?? [];
  return (
    columns.find(({ name }) => fieldForSpelling(lastKey(name)) === field) ??
    columns.find(({ name }) => suggestField(name) === field) ??
    usual.flatMap((spelling) => columns.find(({ name }) => isNamed(name, spelling)) ?? [])[0]
  );
}

/** Whether a name is a usual one for a field. */
export function isLikelyName(field: MemberField, name: string): boolean {
  if (fieldForSpelling(lastKey(name)) === field || suggestField(name) === field) return true;
  return USUAL_NAMES[field]?.some((spelling) => isNamed(name, spelling)) ?? false;
}

/** Whether a name is of this spelling, apart from the path before it, an index after it, and a remark: `Email [Required]`. */
function isNamed(name: string, spelling: string): boolean {
  return [lastKey(name), name.replace(/[[(].*/, '')].some((part) => normalizeSpelling(part) === spelling);
}

/** Returns the last key of a dotted path; an index after it is not a key. */
function lastKey(path: string): string {
  return (
    path
      .replace(/\.\d+$/, '')
      .split('.')
      .at(-1) ?? ''
  );
}
