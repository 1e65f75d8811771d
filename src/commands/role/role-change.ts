import type { RoleChange } from '../../client/update-role.ts';
import { parseBoolean } from '../../util/boolean.ts';
import { UsageError } from '../../util/errors.ts';

/** Bounds of a role's name (interface 2.1). */
const NAME_MIN = 2;
const NAME_MAX = 50;

/** The fields of a role that an update can change (interface 4.1). */
export const CHANGEABLE = ['name', 'permissions', 'obligations'] as const;

export interface ChangeFlags {
  name?: string;
  permission?: string[];
  obligation?: string[];
}

/**
 * Parses the options of `role update`. Checks only what the interface fixes: resources, actions and obligation keys are
 * open sets (interface 2.1, 8).
 *
 * @throws UsageError that names the option
 */
export function roleChangeFromFlags(flags: ChangeFlags): RoleChange {
  const change: RoleChange = {};
  if (flags.name !== undefined) change.name = checkRoleName(flags.name, '--name');
  if (flags.permission?.length) change.permissions = readPermissions(flags.permission);
  if (flags.obligation?.length) change.obligations = readObligations(flags.obligation);
  return change;
}

/**
 * Merges the changes from options and file.
 *
 * @throws UsageError for a field in both of them, and for a change without any field
 */
export function mergeRoleChanges(fromFlags: RoleChange, fromFile: RoleChange): RoleChange {
  const twice = CHANGEABLE.find((field) => fromFlags[field] !== undefined && fromFile[field] !== undefined);
  if (twice !== undefined)
    throw new UsageError(`${twice} is set by an option and by --from`, 'Set each field only once.');
  const change = { ...fromFile, ...fromFlags };
  if (Object.keys(change).length === 0) {
    throw new UsageError('nothing to change', 'Use --name, --permission, --obligation or --from.');
  }
  return change;
}

/** Checks the length of a name. Services may count characters or UTF-16 code units, so only a name that is invalid in both is rejected. */
export function checkRoleName(value: string, where: string): string {
  const characters = [...value].length;
  if (value.length < NAME_MIN || characters > NAME_MAX) {
    throw new UsageError(`${where} must have ${NAME_MIN} to ${NAME_MAX} characters (got ${characters})`);
  }
  return value;
}

function readPermissions(flags: readonly string[]): Record<string, string[]> {
  const permissions = new Map<string, Set<string>>();
  for (const flag of flags) {
    const { key: resource, value } = splitPair(flag, '--permission', '<resource>=<action>[,<action>...]');
    const actions = value.split(',').map((action) => action.trim());
    if (actions.includes('')) {
      throw new UsageError(
        `--permission: "${flag}" has an empty action`,
        'Use --permission control=read,update. To send a resource without actions, use --from with a JSON file.',
      );
    }
    const known = permissions.get(resource) ?? new Set();
    for (const action of actions) known.add(action);
    permissions.set(resource, known);
  }
  // Object.fromEntries keeps a resource called __proto__.
  return Object.fromEntries([...permissions].map(([resource, actions]) => [resource, [...actions]]));
}

function readObligations(flags: readonly string[]): Record<string, boolean> {
  const obligations = new Map<string, boolean>();
  for (const flag of flags) {
    const { key, value } = splitPair(flag, '--obligation', '<key>=<boolean>');
    if (obligations.has(key)) throw new UsageError(`--obligation: "${key}" is set twice`);
    obligations.set(key, parseBoolean(value, `--obligation ${key}`));
  }
  return Object.fromEntries(obligations);
}

function splitPair(text: string, flag: string, syntax: string): { key: string; value: string } {
  const at = text.indexOf('=');
  const key = at < 0 ? '' : text.slice(0, at).trim();
  if (key === '') throw new UsageError(`${flag}: "${text}" must have the form ${syntax}`);
  return { key, value: text.slice(at + 1).trim() };
}
