import type { Role } from '../../client/response-schemas.ts';
import type { Block } from '../../output/blocks.ts';
import { renderCell } from '../../output/json.ts';
import { text } from '../../output/text.ts';
import { formatTime } from '../../util/units.ts';
import type { Mismatch } from './role-output.ts';

/** Returns what the role has, and what the service stored differently. */
export function roleBlocks(role: Role, mismatches: readonly Mismatch[], notReturned: readonly string[]): Block[] {
  const obligations = Object.entries(role.obligations ?? {}).map(([key, value]) => [key, renderCell(value)]);
  const differences = mismatches.map(({ path, sent, stored }) => [path, valueText(sent), valueText(stored)]);
  return [
    { columns: ['field', 'value'], rows: roleDetails(role, notReturned) },
    ...(role.permissions == null ? [] : [permissionBlock(role.permissions)]),
    ...(obligations.length === 0 ? [] : [{ columns: ['obligation', 'value'], rows: obligations }]),
    ...(differences.length === 0 ? [] : [{ columns: ['mismatch', 'sent', 'stored'], rows: differences }]),
  ];
}

function roleDetails(role: Role, notReturned: readonly string[]): string[][] {
  const { id, name, isBuiltIn, createdAt, updatedAt, obligations } = role;
  const builtIn = typeof isBuiltIn === 'boolean' ? (isBuiltIn ? 'yes' : 'no') : isBuiltIn;
  const [created, updated] = [createdAt, updatedAt].map(timeText);
  const details = Object.entries({ role: id, name, 'built-in': builtIn, created, updated });
  if (obligations != null && Object.keys(obligations).length === 0) details.push(['obligations', 'none']);
  return [
    ...details.flatMap(([label, value]) => (value == null ? [] : [[label, renderCell(value)]])),
    ...notReturned.map((field) => [field, 'not returned']),
  ];
}

/** Renders a time of the service (ISO 8601) for people; leaves anything else as it is. */
function timeText(value: unknown): unknown {
  const isTime = typeof value === 'string' && /^\d{4}-\d\d-\d\dT.*(?:Z|[+-]\d\d:?\d\d)$/.test(value);
  const time = isTime ? formatTime(Date.parse(value)) : '';
  return time === '' ? value : `${time} UTC`;
}

/** Renders a value of a mismatch: actions as `read,update`, a missing value as `nothing`. */
function valueText(value: unknown): string {
  return value === null ? 'nothing' : Array.isArray(value) ? value.join(',') || 'nothing' : renderCell(value);
}

/** Returns a grid of resources and actions. */
function permissionBlock(permissions: Readonly<Record<string, readonly string[]>>): Block {
  const resources = Object.entries(permissions);
  if (resources.length === 0) return text`no permissions`;
  const actions = actionsOf(permissions);
  if (actions.length === 0) {
    return { columns: ['resource', 'actions'], rows: resources.map(([resource]) => [resource, 'none']) };
  }
  const rows = resources.map(([resource, allowed]) => [
    resource,
    ...actions.map((action) => (allowed.includes(action) ? 'yes' : '-')),
  ]);
  return { columns: ['resource', ...actions], rows };
}

/** Returns the actions of all resources, the standard ones first and in their usual order. */
function actionsOf(permissions: Readonly<Record<string, readonly string[]>>): string[] {
  const seen = new Set(Object.values(permissions).flat());
  const standard = ['create', 'read', 'update', 'delete'].filter((action) => seen.has(action));
  return [...new Set([...standard, ...seen])];
}

/** Returns a row for each resource and obligation, with the role's id and name; one row for a role without any. */
export function roleCsvRows(role: Role | undefined): unknown[][] {
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
