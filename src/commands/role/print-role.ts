import type { RoleChange } from '../../client/operations.ts';
import type { Role } from '../../client/responses.ts';
import type { Block } from '../../output/blocks.ts';
import { hintText } from '../../output/error-text.ts';
import { renderCell, renderJson } from '../../output/json.ts';
import type { Output } from '../../output/output.ts';
import { printNotice, printRecords, recordOf } from '../../output/print-records.ts';
import { quoteForShell } from '../../output/sanitize.ts';
import { successText, type Text, text } from '../../output/text.ts';
import { isJsonObject } from '../../util/json/json-object.ts';
import { countOf } from '../../util/units.ts';
import { noteForPeople } from '../command-context.ts';
import { CHANGEABLE_FIELDS, type ChangeFlags, type RoleMismatch } from './role-change.ts';

/** Prints the request of a dry run. */
export async function printDryRun(request: object, output: Output): Promise<void> {
  const code = renderJson(request).split('\n');
  await printRecords(
    recordOf(request, () => [{ code }]),
    output,
  );
  output.note('dry run: nothing was sent');
}

/** Returns what an update may take away. Before the request, orgadm does not know the current values of the role. */
export function lossWarnings(roleId: string, { name, permissions, obligations }: RoleChange): Text[] {
  const warning = (name: string, entries: readonly string[]) =>
    entries.length === 0
      ? text`this removes all ${name} of ${roleId}`
      : text`this replaces all ${name} of ${roleId}: ${entries.join(', ')}`;
  return [
    // Members may have the name of their role, and nobody the new one.
    ...(name === undefined
      ? []
      : [
          text`if the service stores the name of the role with each member, this takes ${roleId} away from everybody who has it`,
        ]),
    ...(permissions === undefined
      ? []
      : [
          warning(
            'permissions',
            Object.entries(permissions).map(([key, actions]) => `${key} (${actions.join(', ')})`),
          ),
          // A service may judge what a key grants, and let it remove anything.
          text`your API key may not be able to restore permissions that this removes`,
        ]),
    ...(obligations === undefined
      ? []
      : [
          warning(
            'obligations',
            Object.entries(obligations).map(([key, value]) => `${key} (${value})`),
          ),
        ]),
  ];
}

/** What an update sent. */
interface SentChange {
  roleId: string;
  change: RoleChange;
  /** The options that it comes from; other fields come from a file. */
  flags: ChangeFlags;
}

/**
 * Prints the role as the service stored it, and how it differs from the change that was sent.
 *
 * @param role undefined if the service did not return it
 */
export async function printUpdatedRole(
  role: Role | undefined,
  { roleId, change, flags, mismatches }: SentChange & { mismatches: readonly RoleMismatch[] },
  output: Output,
): Promise<void> {
  const views = { ...recordOf({ ...role, mismatches }), csv: () => roleCsvRows(role) };
  if (role === undefined)
    return printNotice(
      views,
      successText(text`updated role ${roleId}; the service returned no role to compare`),
      output,
    );

  const notReturned = CHANGEABLE_FIELDS.filter((field) => change[field] !== undefined && role[field] == null);
  await printRecords({ ...views, people: () => roleBlocks(role, mismatches) }, output);
  if (mismatches.length > 0) {
    const values = countOf(mismatches.length, 'value');
    const paths = mismatches.map(({ path }) => path).join(', ');
    output.warn(text`the service stored ${values} differently from what orgadm sent: ${paths}`);
    const additions = includeAdditions(mismatches, flags);
    if (additions.length > 0)
      output.note(hintText(`If the service adds these itself, include them in the update: ${additions.join(' ')}`));
  }
  if (notReturned.length > 0)
    output.note(`orgadm cannot confirm what the response does not include: ${notReturned.join(', ')}`);
  if (mismatches.length === 0) noteForPeople(successText(text`updated role ${roleId}`), output);
}

/**
 * Returns what to add to an update for what a service adds by itself: `--permission portal=read,update`, or the members of the
 * file, whose fields an option would replace. Empty if the service has only left out or changed something.
 */
function includeAdditions(mismatches: readonly RoleMismatch[], flags: ChangeFlags): string[] {
  return mismatches.flatMap(({ path, sent, stored }) => {
    const [, field = '', key = ''] = /^(permission|obligation)s\.(.*)$/s.exec(path) ?? [];
    const isAddition = Array.isArray(stored) ? includesAll(stored, sent ?? []) : sent === null && stored !== null;
    if (field === '' || !isAddition) return [];
    const isOption = flags[field === 'permission' ? 'permission' : 'obligation'] !== undefined;
    const value = Array.isArray(stored) ? stored.join(',') : String(stored);
    return [
      isOption ? `--${field} ${quoteForShell(`${key}=${value}`)}` : JSON.stringify({ [key]: stored }).slice(1, -1),
    ];
  });
}

function includesAll(stored: readonly unknown[], sent: unknown): boolean {
  return Array.isArray(sent) && sent.every((action) => stored.includes(action));
}

/** Returns what the role has, and what the service stored differently. */
function roleBlocks(role: Role, mismatches: readonly RoleMismatch[]): Block[] {
  const obligations = Object.entries(role.obligations ?? {}).map(([key, value]) => [key, renderCell(value)]);
  const differences = mismatches.map(({ path, sent, stored }) => {
    const [was, is] = [valueText(sent), valueText(stored)];
    // "true" in quotes is not true.
    return was === is ? [path, JSON.stringify(sent), JSON.stringify(stored)] : [path, was, is];
  });
  return [
    { columns: ['field', { header: 'value', isWhole: true }], rows: roleDetails(role) },
    ...(role.permissions == null ? [] : [permissionBlock(role.permissions)]),
    ...(obligations.length === 0 ? [] : [{ columns: ['obligation', 'value'], rows: obligations }]),
    ...(differences.length === 0
      ? []
      : [{ columns: ['mismatch', 'sent', { header: 'stored', isWhole: true }], rows: differences }]),
  ];
}

/** Returns the fields of a role that are values, also those that the interface does not name: a service may warn in one. */
function roleDetails(role: Role): string[][] {
  const { id, name, isBuiltIn, createdAt, updatedAt, obligations, permissions, ...others } = role;
  const builtIn = typeof isBuiltIn === 'boolean' ? (isBuiltIn ? 'yes' : 'no') : isBuiltIn;
  const details = Object.entries({ role: id, name, 'built-in': builtIn, created: createdAt, updated: updatedAt });
  if (obligations != null && Object.keys(obligations).length === 0) details.push(['obligations', 'none']);
  details.push(...Object.entries(others).filter(([, value]) => ![value].flat().some(isJsonObject)));
  return details.flatMap(([label, value]) => (value == null ? [] : [[label, renderCell(value)]]));
}

/** Renders a value of a mismatch: actions as `read,update`, a missing value as `nothing`. */
function valueText(value: unknown): string {
  return value === null ? 'nothing' : Array.isArray(value) ? value.join(',') || 'nothing' : renderCell(value);
}

/** Returns a grid of resources and actions. */
function permissionBlock(permissions: Readonly<Record<string, readonly string[]>>): Block {
  const actions = [...new Set(Object.values(permissions).flat())];
  if (actions.length === 0) return text`no permissions`;
  const rows = Object.entries(permissions).map(([resource, allowed]) => [
    resource,
    ...actions.map((action) => (allowed.includes(action) ? 'yes' : '-')),
  ]);
  return { columns: ['resource', ...actions], rows };
}

/** Returns a row for each resource and obligation, with the role's id and name; one row for a role without any. */
function roleCsvRows(role: Role | undefined): unknown[][] {
  const header = ['id', 'name', 'resource', 'actions', 'obligation', 'value'];
  if (role === undefined) return [header];
  const { id, name, permissions, obligations } = role;
  const rows = [
    ...Object.entries(permissions ?? {}).map(([resource, actions]) => [resource, actions.join(','), '', '']),
    ...Object.entries(obligations ?? {}).map(([key, value]) => ['', '', key, value]),
  ];
  if (rows.length === 0) rows.push(['', '', '', '']);
  return [header, ...rows.map((row) => [id, name, ...row])];
}
