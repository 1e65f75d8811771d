import { cleanLine } from '../../output/sanitize.ts';
import { quoteForShell } from '../../util/shell-quote.ts';
import { fieldForSpelling, type MemberField, normalizeSpelling, suggestField } from '../entry.ts';
import { quote } from './list-row.ts';

/** Words in the names of columns that show whether a person is active; the value is true for those that state the opposite. */
const STATUS_WORDS = new Map<string, boolean>([
  ...['status', 'state', 'active', 'enabled'].map((word) => [word, false] as const),
  ...'suspended disabled deactivated inactive archived blocked terminated deleted locked'
    .split(' ')
    .map((word) => [word, true] as const),
]);
/** Words that such a name may have in addition. */
const FILLER_WORDS = new Set('account user users member employee employment login signin is the read only'.split(' '));

/** Returns the kind of status that a column's name suggests; undefined if it suggests none. */
export function statusKind(name: string): 'status' | 'active' | 'opposite' | undefined {
  const words = name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== '' && !FILLER_WORDS.has(word));
  const [word = ''] = words;
  const isOpposite = words.length === 1 ? STATUS_WORDS.get(word) : undefined;
  if (isOpposite === undefined) return undefined;
  return isOpposite ? 'opposite' : word === 'status' || word === 'state' ? 'status' : 'active';
}

/** Returns a warning for each ignored column that looks like a status, unless isActive is read or set. */
export function warnOfIgnoredStatus(ignored: Iterable<string>, hasActive: boolean): string[] {
  if (hasActive) return [];
  return [...ignored].flatMap((name) => {
    const kind = statusKind(name.split('.').at(-1) ?? name);
    if (kind === undefined) return [];
    const source = kind === 'opposite' ? `!${name}` : name;
    const values = kind === 'status' ? " --map-value 'isActive:<value>=false'" : '';
    return `column ${quote(name)} is ignored: all members are added without isActive, regardless of its values (to read it: --map ${quoteForShell(cleanLine(`isActive=${source}`))}${values})`;
  });
}

/** Names that a field often goes by in exports, the most likely first, normalized. They are suggested, never assumed. */
const USUAL_NAMES: Partial<Record<MemberField, readonly string[]>> = {
  userId:
    'id uid user username login userlogin employeeid employeenumber employee# workerid externalid objectid userprincipalname upn email emailaddress workemail useremail mail primaryemail'.split(
      ' ',
    ),
  role: ['userrole', 'orgrole', 'organizationrole', 'memberrole', 'roles', 'rolename'],
  department: ['departmentname', 'departmentcode', 'orgdepartment'],
};

/**
 * Returns the options of people bulk-add that would make a list with these unknown columns or keys readable:
 * `['--map', 'userId=User Name', '--ignore-extra-columns']`.
 *
 * @param unread names in the list that no field is read from
 * @param missing required fields that the list does not have
 * @param present fields that are read or set
 */
export function suggestOptions(
  unread: readonly string[],
  missing: readonly MemberField[],
  present: ReadonlySet<string>,
): string[] {
  const options: string[] = [];
  const used = new Set<string>();
  const found = (field: MemberField): string | undefined => {
    const usual = USUAL_NAMES[field] ?? [];
    const candidates = unread.filter((name) => !used.has(name));
    const lastPart = (name: string) => normalizeSpelling(name.split('.').at(-1) ?? '');
    const byName = candidates.find((name) => fieldForSpelling(name.split('.').at(-1) ?? '') === field);
    const bySpelling = byName ?? candidates.find((name) => suggestField(name) === field);
    if (bySpelling !== undefined) return bySpelling;
    for (const spelling of usual) {
      const match = candidates.find((name) => {
        const plain = normalizeSpelling(name.replace(/\s*[[(].*$/, ''));
        return plain === spelling || lastPart(name) === spelling;
      });
      if (match !== undefined) return match;
    }
    return undefined;
  };
  const add = (field: MemberField, source: string) => {
    used.add(source.replace(/^!/, ''));
    options.push('--map', `${field}=${source}`);
  };
  for (const field of missing) {
    const source = found(field);
    if (source !== undefined) add(field, source);
    else options.push(...(field === 'role' ? ['--default', 'role=<role>'] : ['--map', `${field}=<column>`]));
  }
  for (const field of ['department', 'isActive', 'deviceMgmtLabelId'] as const) {
    const source = present.has(field) ? undefined : found(field);
    if (source !== undefined) add(field, source);
  }
  if (unread.some((name) => !used.has(name))) options.push('--ignore-extra-columns');
  return options;
}
