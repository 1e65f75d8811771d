import { isDeepStrictEqual } from 'node:util';
import type { Output } from '../../output/output.ts';
import type { Role } from '../../service/contract.ts';
import type { RoleChange } from '../../service/roles.ts';

/** Prints a role in the output's format; a table shows its permissions as a grid of resources and actions. */
export async function printRole(role: Role | undefined, output: Output): Promise<void> {
  switch (output.format) {
    case 'json':
      return output.json(role ?? null);
    case 'ndjson':
      return output.ndjson(role ?? null);
    case 'csv':
      return printCsv(role, output);
    case 'table':
      return printTable(role, output);
  }
}

/**
 * Says where the role differs from what was sent.
 *
 * @returns one sentence a difference; none where the answer does not show the field
 */
export function differences(change: RoleChange, role: Role | undefined): string[] {
  if (role === undefined) return [];
  const found: string[] = [];
  if (change.name !== undefined && role.name != null && role.name !== change.name) {
    found.push(`the role's name is "${role.name}", but "${change.name}" was sent`);
  }
  if (change.permissions !== undefined && role.permissions != null) {
    found.push(...permissionDifferences(change.permissions, role.permissions));
  }
  if (
    change.obligations !== undefined &&
    role.obligations != null &&
    !isDeepStrictEqual({ ...change.obligations }, { ...role.obligations })
  ) {
    found.push(
      `the role's obligations are ${JSON.stringify(role.obligations)}, but ${JSON.stringify(change.obligations)} was sent`,
    );
  }
  return found;
}

function permissionDifferences(sent: Record<string, string[]>, stored: Record<string, string[]>): string[] {
  const found: string[] = [];
  for (const resource of new Set([...Object.keys(sent), ...Object.keys(stored)])) {
    const wanted = Object.hasOwn(sent, resource) ? new Set(sent[resource]) : new Set<string>();
    const held = Object.hasOwn(stored, resource) ? new Set(stored[resource]) : new Set<string>();
    const missing = [...wanted].filter((action) => !held.has(action));
    const extra = [...held].filter((action) => !wanted.has(action));
    if (missing.length > 0) found.push(`the role does not hold ${resource}=${missing.join(',')}, which was sent`);
    if (extra.length > 0) found.push(`the role holds ${resource}=${extra.join(',')}, which was not sent`);
  }
  return found;
}

async function printTable(role: Role | undefined, output: Output): Promise<void> {
  if (role === undefined) {
    output.note('updated; the service answered without showing the role');
    return;
  }
  const facts: [string, string | null | undefined][] = [
    ['role', role.id],
    ['name', role.name],
    ['built-in', role.isBuiltIn == null ? undefined : role.isBuiltIn ? 'yes' : 'no'],
    ['created', role.createdAt],
    ['updated', role.updatedAt],
  ];
  const rows = facts.flatMap(([label, value]) => (value == null ? [] : [[label, value]]));
  await output.table([{ header: 'field' }, { header: 'value' }], rows);
  if (role.permissions == null) return;
  await output.write('\n');
  await printGrid(role.permissions, output);
}

async function printGrid(permissions: Record<string, string[]>, output: Output): Promise<void> {
  const actions = actionsOf(permissions);
  const columns = [{ header: 'resource' }, ...actions.map((action) => ({ header: action }))];
  const rows = Object.entries(permissions).map(([resource, allowed]) => [
    resource,
    ...actions.map((action) => (allowed.includes(action) ? 'yes' : '-')),
  ]);
  await output.table(columns, rows);
}

/** The actions of all resources, the everyday ones first and in their usual order. */
function actionsOf(permissions: Record<string, string[]>): string[] {
  const usual = ['create', 'read', 'update', 'delete'];
  const seen = new Set(Object.values(permissions).flat());
  return [...usual.filter((action) => seen.has(action)), ...[...seen].filter((action) => !usual.includes(action))];
}

async function printCsv(role: Role | undefined, output: Output): Promise<void> {
  await output.csvRow(['resource', 'actions']);
  for (const [resource, actions] of Object.entries(role?.permissions ?? {}))
    await output.csvRow([resource, actions.join(',')]);
}
