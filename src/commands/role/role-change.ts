import type { RoleChange } from '../../client/update-role.ts';
import { UsageError } from '../../util/errors.ts';
import { isJsonObject } from '../../util/json-object.ts';
import { suggest } from '../../util/suggest.ts';

/** Bounds of a role's name (interface 2.1). */
const NAME_MIN = 2;
const NAME_MAX = 50;

const CHANGEABLE = ['name', 'permissions', 'obligations'] as const;

export interface ChangeFlags {
  name?: string;
  permission?: string[];
  obligation?: string[];
}

/**
 * Reads the flags of `role update` into a change. Only what the interface fixes is checked: resources, actions and
 * obligation keys are open sets (interface 2.1, 8).
 *
 * @throws UsageError that names the flag
 */
export function roleChangeFromFlags(flags: ChangeFlags): RoleChange {
  const change: RoleChange = {};
  if (flags.name !== undefined) change.name = checkName(flags.name, '--name');
  if (flags.permission?.length) change.permissions = readPermissions(flags.permission);
  if (flags.obligation?.length) change.obligations = readObligations(flags.obligation);
  return change;
}

/**
 * Reads a change from the text of a JSON file. A role as a service returns it is accepted: what an update does not
 * accept is left out, null included, which services store or fail on.
 *
 * @param name how the file is called in an error
 * @returns the change, and what was left out: `id`, `obligations (null)`, `permission (did you mean permissions?)`
 * @throws UsageError that names the field
 */
export function roleChangeFromJson(text: string, name: string): { change: RoleChange; ignored: string[] } {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new UsageError(`--from: ${name} is not JSON: ${(error as Error).message}`);
  }
  if (!isJsonObject(value))
    throw new UsageError(`--from: ${name} must hold a JSON object with name, permissions or obligations`);

  const change: RoleChange = {};
  if (value.name != null) change.name = checkName(value.name, 'name');
  if (value.permissions != null) change.permissions = checkPermissions(value.permissions);
  if (value.obligations != null) change.obligations = checkObligations(value.obligations);
  const ignored = Object.keys(value)
    .filter((key) => !Object.hasOwn(change, key))
    .map(describeIgnored);
  return { change, ignored };
}

function describeIgnored(key: string): string {
  if (CHANGEABLE.some((field) => field === key)) return `${key} (null)`;
  // Names as short as "name" are near to too many others.
  const near = suggest(key, ['permissions', 'obligations']);
  return near === undefined ? key : `${key} (did you mean ${near}?)`;
}

/**
 * Joins the two ways to give a change. A field may be given in one of them only: which one should win is not ours to guess.
 *
 * @throws UsageError for a field given twice, and for a change without any field
 */
export function mergeRoleChanges(fromFlags: RoleChange, fromFile: RoleChange): RoleChange {
  const twice = CHANGEABLE.find((field) => fromFlags[field] !== undefined && fromFile[field] !== undefined);
  if (twice !== undefined)
    throw new UsageError(`${twice} is given by a flag and by --from`, 'Give each field in one place.');
  const change = { ...fromFile, ...fromFlags };
  if (Object.keys(change).length === 0) {
    throw new UsageError('nothing to change', 'Give --name, --permission, --obligation or --from.');
  }
  return change;
}

function checkName(value: unknown, where: string): string {
  if (typeof value !== 'string') throw new UsageError(`${where}: must be a string`);
  // Whether a service counts characters or UTF-16 units is not known: refuse only what is out of bounds either way.
  const characters = [...value].length;
  if (value.length < NAME_MIN || characters > NAME_MAX) {
    throw new UsageError(
      `${where}: has ${characters} character${characters === 1 ? '' : 's'}; a role name has ${NAME_MIN} to ${NAME_MAX}`,
    );
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
        'Write --permission control=read,update. To send a resource without any action, use --from with a JSON file.',
      );
    }
    const known = permissions.get(resource) ?? new Set();
    for (const action of actions) known.add(action);
    permissions.set(resource, known);
  }
  // fromEntries defines own properties: a resource called __proto__ stays a resource.
  return Object.fromEntries([...permissions].map(([resource, actions]) => [resource, [...actions]]));
}

function readObligations(flags: readonly string[]): Record<string, boolean> {
  const obligations = new Map<string, boolean>();
  for (const flag of flags) {
    const { key, value } = splitPair(flag, '--obligation', '<key>=true|false');
    if (value !== 'true' && value !== 'false')
      throw new UsageError(`--obligation: "${value}" of "${key}" is neither true nor false`);
    if (obligations.has(key)) throw new UsageError(`--obligation: "${key}" is given twice`);
    obligations.set(key, value === 'true');
  }
  return Object.fromEntries(obligations);
}

function splitPair(text: string, flag: string, syntax: string): { key: string; value: string } {
  const at = text.indexOf('=');
  const key = at < 0 ? '' : text.slice(0, at).trim();
  if (key === '') throw new UsageError(`${flag}: "${text}" is not of the form ${syntax}`);
  return { key, value: text.slice(at + 1).trim() };
}

function checkPermissions(value: unknown): Record<string, string[]> {
  if (!isJsonObject(value))
    throw new UsageError('permissions: must be an object of resource names to arrays of actions');
  for (const [resource, actions] of Object.entries(value)) {
    if (!Array.isArray(actions) || actions.some((action) => typeof action !== 'string')) {
      throw new UsageError(`permissions: "${resource}" must be an array of action strings`);
    }
  }
  return value as Record<string, string[]>;
}

function checkObligations(value: unknown): Record<string, boolean> {
  if (!isJsonObject(value)) throw new UsageError('obligations: must be an object of names to booleans');
  for (const [key, set] of Object.entries(value)) {
    if (typeof set !== 'boolean') throw new UsageError(`obligations: "${key}" must be true or false`);
  }
  return value as Record<string, boolean>;
}
