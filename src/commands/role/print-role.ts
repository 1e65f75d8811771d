import { isDeepStrictEqual } from 'node:util';
import type { Output } from '../../output/output.ts';
import { cellText } from '../../output/values.ts';
import type { Role } from '../../service/contract.ts';
import { identifierOf } from '../../service/identifier.ts';
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
 * Says where the role differs from what was sent, and from the one that was meant.
 *
 * @returns one sentence a difference; none where the answer does not show the field
 */
export function differences(roleId: string, change: RoleChange, role: Role | undefined): string[] {
  if (role === undefined) return [];
  const found: string[] = [];
  const answered = identifierOf(role.id);
  if (answered !== undefined && answered !== roleId) {
    found.push(`the change was for the role ${roleId}, the service answered with the role ${answered}`);
  }
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
  const facts = role === undefined ? [] : factsOf(role);
  if (facts.length > 0) await output.table([{ header: 'field' }, { header: 'value' }], facts);
  if (role?.permissions != null) {
    if (facts.length > 0) await output.write('\n');
    await printGrid(role.permissions, output);
  } else if (facts.length === 0) output.note('updated; the service answered without showing the role');
}

function factsOf({ id, name, isBuiltIn, createdAt, updatedAt }: Role): string[][] {
  const builtIn = typeof isBuiltIn === 'boolean' ? (isBuiltIn ? 'yes' : 'no') : isBuiltIn;
  const facts = Object.entries({ role: id, name, 'built-in': builtIn, created: createdAt, updated: updatedAt });
  return facts.flatMap(([label, value]) => (value == null ? [] : [[label, cellText(value)]]));
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
