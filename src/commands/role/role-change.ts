import * as z from 'zod/mini';
import type { RoleChange } from '../../client/update-role.ts';
import { UsageError } from '../../util/errors.ts';
import { parseJsonFile } from '../../util/json/parse-json-file.ts';
import { suggest } from '../../util/suggest.ts';
import { parseBoolean } from '../../util/units.ts';

/** Bounds of a role's name (interface 2.1). */
const NAME_MIN = 2;
const MAX_ROLE_NAME = 50;

/** The fields of a role that an update can change (interface 4.1). */
export const CHANGEABLE_FIELDS = ['name', 'permissions', 'obligations'] as const;

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
  const twice = CHANGEABLE_FIELDS.find((field) => fromFlags[field] !== undefined && fromFile[field] !== undefined);
  if (twice !== undefined)
    throw new UsageError(`${twice} is set by an option and by --from`, 'Set each field only once.');
  const change = { ...fromFile, ...fromFlags };
  if (Object.keys(change).length === 0) {
    throw new UsageError('nothing to change', 'Use --name, --permission, --obligation, or --from.');
  }
  return change;
}

/** Checks the length of a name. Services may count characters or UTF-16 code units, so only a name that is invalid in both is rejected. */
function checkRoleName(value: string, where: string): string {
  const characters = [...value].length;
  if (value.length < NAME_MIN || characters > MAX_ROLE_NAME) {
    throw new UsageError(`${where} must have ${NAME_MIN} to ${MAX_ROLE_NAME} characters (got ${characters})`);
  }
  return value;
}

function readPermissions(flags: readonly string[]): Record<string, string[]> {
  const permissions = new Map<string, string[]>();
  for (const flag of flags) {
    const [resource, value] = splitFlag(
      flag,
      '--permission',
      '<resource>=<action>[,<action>...]',
      'control=read,update',
    );
    const actions = value.split(',').map((action) => action.trim());
    if (actions.includes('')) {
      throw new UsageError(
        `--permission: "${flag}" has an empty action`,
        'Use --permission control=read,update. To send a resource without actions, use --from with a JSON file.',
      );
    }
    permissions.set(resource, [...new Set([...(permissions.get(resource) ?? []), ...actions])]);
  }
  // Unlike an assignment, this keeps a resource called __proto__.
  return Object.fromEntries(permissions);
}

function readObligations(flags: readonly string[]): Record<string, boolean> {
  const obligations = new Map<string, boolean>();
  for (const flag of flags) {
    const [key, value] = splitFlag(flag, '--obligation', '<key>=<boolean>', 'compliance=true');
    if (obligations.has(key)) throw new UsageError(`--obligation: "${key}" is set twice`);
    obligations.set(key, parseBoolean(value, `--obligation ${key}`));
  }
  return Object.fromEntries(obligations);
}

function splitFlag(text: string, flag: string, syntax: string, example: string): [key: string, value: string] {
  const [, key, value = ''] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
  if (!key?.trim())
    throw new UsageError(`${flag}: "${text}" is not of the form ${syntax}`, `For example: ${flag} ${example}`);
  return [key.trim(), value.trim()];
}

const ACTIONS = 'must be an array of action strings';
const PERMISSIONS = 'must be an object of resource names to arrays of actions';

const fields = {
  name: z.string({ error: 'must be a string' }),
  permissions: z.record(z.string(), z.array(z.string({ error: ACTIONS }), { error: ACTIONS }), { error: PERMISSIONS }),
  obligations: z.record(z.string(), z.boolean({ error: 'must be true or false' }), {
    error: 'must be an object of names to booleans',
  }),
};

/** The body of the request. */
export const roleChangeSchema: z.ZodMiniType<RoleChange> = z.partial(z.object(fields));

/** A role, or the part of it to change. Allows other fields, so that it accepts a role as a service returns it. */
const roleFileSchema = z.looseObject(
  {
    name: z.nullish(fields.name),
    permissions: z.nullish(fields.permissions),
    obligations: z.nullish(fields.obligations),
  },
  { error: 'must be a JSON object with name, permissions, or obligations' },
);

/**
 * Parses a change from the text of a JSON file. Fields that an update does not accept are left out, and so is null, which
 * services store or fail on.
 *
 * @param name the name of the file, for errors
 * @returns the change, and what was left out: `id`, `obligations (null)`, `permission (did you mean permissions?)`
 * @throws UsageError that names the field
 */
export function roleChangeFromJson(text: string, name: string): { change: RoleChange; ignored: string[] } {
  const role = parseRole(text, name);
  const change: RoleChange = {};
  if (role.name != null) change.name = checkRoleName(role.name, '--from: name');
  if (role.permissions != null) change.permissions = role.permissions;
  if (role.obligations != null) change.obligations = role.obligations;
  const ignored = Object.keys(role)
    .filter((key) => !Object.hasOwn(change, key))
    .map(describeIgnored);
  return { change, ignored };
}

function parseRole(text: string, name: string): z.infer<typeof roleFileSchema> {
  const value = parseJsonFile(text, `--from: ${name}`, 'It must be an object such as {"name": "Auditor"}.');
  const { success, error } = z.safeParse(roleFileSchema, value);
  // The value itself: zod drops a key called __proto__.
  if (success) return value as z.infer<typeof roleFileSchema>;
  const [issue] = error.issues;
  const [field, key] = issue?.path.map(String) ?? [];
  const where = key === undefined ? (field ?? name) : `${field}: "${key}"`;
  throw new UsageError(`--from: ${where} ${issue?.message ?? 'is invalid'}`);
}

function describeIgnored(key: string): string {
  if (CHANGEABLE_FIELDS.some((field) => field === key)) return `${key} (null)`;
  // Not suggested for "name", which is close to many other words.
  const near = suggest(key, ['permissions', 'obligations']);
  return near === undefined ? key : `${key} (did you mean ${near}?)`;
}
