import * as z from 'zod/mini';
import type { RoleChange } from '../../client/update-role.ts';
import { UsageError } from '../../util/errors.ts';
import { suggest } from '../../util/suggest.ts';
import { CHANGEABLE, checkRoleName } from './role-change.ts';

const ACTIONS = 'must be an array of action strings';
const PERMISSIONS = 'must be an object of resource names to arrays of actions';

/** A role, or the part of it to change. Other fields are allowed: a role as a service returns it is accepted. */
const roleFileSchema = z.looseObject(
  {
    name: z.nullish(z.string({ error: 'must be a string' })),
    permissions: z.nullish(
      z.record(z.string(), z.array(z.string({ error: ACTIONS }), { error: ACTIONS }), { error: PERMISSIONS }),
    ),
    obligations: z.nullish(
      z.record(z.string(), z.boolean({ error: 'must be true or false' }), {
        error: 'must be an object of names to booleans',
      }),
    ),
  },
  { error: 'must be a JSON object with name, permissions or obligations' },
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
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new UsageError(`--from: ${name} is not JSON: ${(error as Error).message}`);
  }
  const { success, error } = z.safeParse(roleFileSchema, value);
  // The value itself: zod drops a key called __proto__.
  if (success) return value as z.infer<typeof roleFileSchema>;
  const [issue] = error.issues;
  const [field, key] = issue?.path.map(String) ?? [];
  const where = key === undefined ? (field ?? name) : `${field}: "${key}"`;
  throw new UsageError(`--from: ${where} ${issue?.message ?? 'is invalid'}`);
}

function describeIgnored(key: string): string {
  if (CHANGEABLE.some((field) => field === key)) return `${key} (null)`;
  // Not suggested for "name", which is close to many other words.
  const near = suggest(key, ['permissions', 'obligations']);
  return near === undefined ? key : `${key} (did you mean ${near}?)`;
}
