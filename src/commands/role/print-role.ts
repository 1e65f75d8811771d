import type { Role } from '../../client/response-schemas.ts';
import { renderCell } from '../../output/cell-text.ts';
import type { Output } from '../../output/output.ts';
import { formatLocalTime } from '../../util/units.ts';
import { printRecords } from '../print-record.ts';
import type { Mismatch } from './mismatches.ts';

/** The result of an update. */
export interface UpdatedRole {
  /** The role as the service now stores it; undefined if the response has none. */
  role: Role | undefined;
  mismatches: readonly Mismatch[];
  /** Fields that were sent and that the response does not have. */
  notReturned: readonly string[];
}

/** Prints a role in the output's format; a table shows its permissions as a grid of resources and actions. */
export async function printRole(updated: UpdatedRole, output: Output): Promise<void> {
  const { role, mismatches } = updated;
  const table = () => printTable(updated, output);
  await printRecords({ json: { ...role, mismatches }, csv: csvRows(role), table }, output);
}

async function printTable({ role, mismatches, notReturned }: UpdatedRole, output: Output): Promise<void> {
  if (role === undefined) return;
  const details = roleDetails(role, notReturned);
  if (details.length > 0) await output.table([{ header: 'field' }, { header: 'value' }], details);
  if (role.permissions != null) {
    if (details.length > 0) await output.write('\n');
    await printGrid(role.permissions, output);
  }
  const obligations = Object.entries(role.obligations ?? {});
  if (obligations.length > 0) {
    if (details.length > 0 || role.permissions != null) await output.write('\n');
    await output.table(
      [{ header: 'obligation' }, { header: 'value' }],
      obligations.map(([key, value]) => [key, renderCell(value)]),
    );
  }
  if (mismatches.length > 0) {
    await output.write('\n');
    await output.table(
      [{ header: 'mismatch' }, { header: 'sent' }, { header: 'stored' }],
      mismatches.map(({ path, sent, stored }) => [path, valueText(sent), valueText(stored)]),
    );
  }
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
  return (isTime && formatLocalTime(Date.parse(value))) || value;
}

/** Renders a value of a mismatch: actions as `read,update`, a missing value as `nothing`. */
function valueText(value: unknown): string {
  return value === null ? 'nothing' : Array.isArray(value) ? value.join(',') || 'nothing' : renderCell(value);
}

async function printGrid(permissions: Record<string, string[]>, output: Output): Promise<void> {
  const actions = actionsOf(permissions);
  if (actions.length === 0) {
    const resources = Object.keys(permissions).map((resource) => [resource, 'none']);
    if (resources.length > 0) return output.table([{ header: 'resource' }, { header: 'actions' }], resources);
    return output.write('no permissions\n');
  }
  const columns = [{ header: 'resource' }, ...actions.map((action) => ({ header: action }))];
  const rows = Object.entries(permissions).map(([resource, allowed]) => [
    resource,
    ...actions.map((action) => (allowed.includes(action) ? 'yes' : '-')),
  ]);
  await output.table(columns, rows);
}

/** Returns the actions of all resources, the standard ones first and in their usual order. */
function actionsOf(permissions: Record<string, string[]>): string[] {
  const standardActions = ['create', 'read', 'update', 'delete'];
  const seen = new Set(Object.values(permissions).flat());
  return [
    ...standardActions.filter((action) => seen.has(action)),
    ...[...seen].filter((action) => !standardActions.includes(action)),
  ];
}

/** Returns a row for each resource and obligation, with the role's id and name; one row for a role without any. */
function csvRows(role: Role | undefined): unknown[][] {
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
