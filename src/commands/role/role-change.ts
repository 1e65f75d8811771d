import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import { parseIdentifier } from '../../client/bulk-response.ts';
import type { RoleChange } from '../../client/operations.ts';
import type { Role } from '../../client/responses.ts';
import { UsageError } from '../../util/errors.ts';
import { withoutJoiners } from '../../util/hidden-characters.ts';
import { isJsonObject, type JsonObject } from '../../util/json/json-object.ts';
import { parseJsonFile } from '../../util/json/parse-json-file.ts';
import { suggest, unknownNameError } from '../../util/suggest.ts';
import { parseBoolean } from '../../util/units.ts';
import { checkName } from '../identifier.ts';

/** The fields of a role that an update can change (interface 4.1). */
export const CHANGEABLE_FIELDS = ['name', 'permissions', 'obligations'] as const;

/** Bounds of a role's name (interface 2.1). */
const NAME_MIN = 2;
const MAX_ROLE_NAME = 50;

/** Whether the length of a name is valid in characters or in UTF-16 code units: services may count either. */
function isRoleName(name: string): boolean {
  return name.length >= NAME_MIN && [...name].length <= MAX_ROLE_NAME;
}

const ACTIONS = 'must be an array of action strings';
const PERMISSIONS = 'must be an object of resource names to arrays of actions';

/**
 * The body of the request. Checks only what the interface fixes: resources, actions and obligation keys are open sets
 * (interface 2.1, 8).
 */
const roleChangeSchema = z.partial(
  z.object({
    name: z.string({ error: 'must be a string' }).check(
      z.refine(isRoleName, {
        error: ({ input }) => `must have ${NAME_MIN} to ${MAX_ROLE_NAME} characters (got ${[...String(input)].length})`,
      }),
    ),
    permissions: z.record(z.string(), z.array(z.string({ error: ACTIONS }), { error: ACTIONS }), {
      error: PERMISSIONS,
    }),
    obligations: z.record(z.string(), z.boolean({ error: 'must be true or false' }), {
      error: 'must be an object of names to booleans',
    }),
  }),
);

/** The options that change a role. */
export interface ChangeFlags {
  name?: string;
  permission?: string[];
  obligation?: string[];
}

/** The file of --from: its text, and its name for errors. */
export interface RoleFile {
  text: string;
  name: string;
}

/** A change, and what of the file of --from is not in it. */
interface ReadChange {
  change: RoleChange;
  /** Fields that an update does not accept: `id`, `obligations (null)`. */
  ignored: string[];
  /** Fields that an option replaces. */
  replaced: string[];
}

/**
 * Merges the options of `role update` and the file of --from into one change, and validates it. Options win over fields of the
 * file. Fields that an update does not accept are left out, and so is null, which services store or fail on.
 *
 * @throws UsageError that names the option, or the field of the file: also one that misspells a field the file does not have,
 *   and for the file of another role
 */
export function readRoleChange(roleId: string, flags: ChangeFlags, file?: RoleFile): ReadChange {
  const fromFlags: RoleChange = {
    ...(flags.name !== undefined && { name: checkRoleName(flags.name, '--name') }),
    ...(flags.permission?.length && { permissions: readPermissions(flags.permission) }),
    ...(flags.obligation?.length && { obligations: readObligations(flags.obligation) }),
  };
  const fromFile = file === undefined ? {} : parseRoleFile(file, roleId);
  const isAccepted = (key: string) => CHANGEABLE_FIELDS.some((field) => field === key);
  const missing = CHANGEABLE_FIELDS.filter((field) => !Object.hasOwn(fromFile, field));
  const misspelled = Object.keys(fromFile).find((key) => !isAccepted(key) && suggest(key, missing) !== undefined);
  if (misspelled !== undefined) throw unknownNameError('--from: unknown field', misspelled, missing);
  const accepted = Object.fromEntries(
    Object.entries(fromFile).filter(([key, value]) => isAccepted(key) && value !== null),
  );
  // The change itself: zod drops a key called __proto__.
  const change: RoleChange = { ...accepted, ...fromFlags };
  const { success, error } = z.safeParse(roleChangeSchema, change);
  if (!success) throw invalidChange(error, fromFlags);
  checkTexts(change);
  const ignored = Object.keys(fromFile).filter((key) => !isAccepted(key) || fromFile[key] === null);
  return {
    change,
    ignored: ignored.map((key) => (isAccepted(key) ? `${key} (null)` : key)),
    replaced: Object.keys(accepted).filter((key) => Object.hasOwn(fromFlags, key)),
  };
}

/** Checks the name of a role, which may have any letters and emoji. Throws UsageError for other hidden characters. */
function checkRoleName(name: string, where: string): string {
  checkName(withoutJoiners(name), where);
  return name;
}

/** Checks the texts of a file as those of options: what nobody sees in them would name something else. */
function checkTexts({ name = '', permissions = {}, obligations = {} }: RoleChange): void {
  checkRoleName(name, '--from: name');
  const texts = {
    permissions: [...Object.keys(permissions), ...Object.values(permissions).flat()],
    obligations: Object.keys(obligations),
  };
  for (const [field, listed] of Object.entries(texts)) {
    for (const text of listed) {
      if (checkName(text, `--from: ${field}`).trim() === text && text !== '') continue;
      throw new UsageError(`--from: ${field}: ${JSON.stringify(text)} is blank, or has a space at an end`);
    }
  }
}

function parseRoleFile({ text, name }: RoleFile, roleId: string): JsonObject {
  const value = parseJsonFile(text, `--from: ${name}`, 'It must be an object such as {"name": "Auditor"}.');
  if (!isJsonObject(value))
    throw new UsageError(`--from: ${name} must be a JSON object with name, permissions, or obligations`);
  const id = parseIdentifier(value.id);
  if (id === undefined || id === roleId) return value;
  throw new UsageError(
    `--from: ${name} is the role ${id}, not ${roleId}`,
    `To give ${roleId} the values of that role, remove "id" from the file.`,
  );
}

/** Returns the error for the first invalid field. Of the options, only --name can have an invalid value. */
function invalidChange({ issues: [issue] }: z.core.$ZodError, fromFlags: RoleChange): UsageError {
  const [field = '', key] = issue?.path.map(String) ?? [];
  const source = Object.hasOwn(fromFlags, field) ? `--${field}` : `--from: ${field}`;
  return new UsageError(`${source}${key === undefined ? '' : `: "${key}"`} ${issue?.message ?? 'is invalid'}`);
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
    const odd = actions.find((action) => /[\s=]/.test(action));
    if (odd !== undefined) {
      throw new UsageError(
        `--permission: "${odd}" is not an action`,
        'Separate actions with commas, and repeat --permission for another resource.',
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
  const [, key, value = ''] = /^([^=]*)=(.*)$/s.exec(checkName(text, flag)) ?? [];
  if (!key?.trim())
    throw new UsageError(`${flag}: "${text}" is not of the form ${syntax}`, `For example: ${flag} ${example}`);
  return [key.trim(), value.trim()];
}

/** A value that the service stored differently from what was sent. */
export interface RoleMismatch {
  /** `id`, `name`, `permissions.<resource>`, or `obligations.<key>`. */
  path: string;
  /** Null where nothing was sent. */
  sent: unknown;
  /** Null where the service stores nothing. */
  stored: unknown;
}

/**
 * Compares the role in the response with the change that was sent. A field that the response does not have is not a
 * mismatch. Maps are compared in full, since a sent map replaces the old one (interface 4.1): an entry that the service
 * kept although it was not sent is a mismatch too. The order of actions does not matter.
 */
export function findMismatches(roleId: string, change: RoleChange, role: Role): RoleMismatch[] {
  const scalars = [
    { path: 'id', sent: roleId, stored: parseIdentifier(role.id) },
    { path: 'name', sent: change.name, stored: role.name },
  ];
  return [
    ...scalars.filter(({ sent, stored }) => sent !== undefined && stored != null && !looksSame(sent, stored)),
    ...compareMaps('permissions', change.permissions, role.permissions, haveSameActions),
    ...compareMaps('obligations', change.obligations, role.obligations, isSameFlag),
  ];
}

/** Whether two texts look the same: they may differ in how accents are composed, and in white space at the ends. */
function looksSame(sent: string, stored: string): boolean {
  return sent.normalize('NFC').trim() === stored.normalize('NFC').trim();
}

function compareMaps(
  name: string,
  sent: object | undefined,
  stored: object | null | undefined,
  isSame: (sent: unknown, stored: unknown) => boolean,
): RoleMismatch[] {
  if (sent === undefined || stored == null) return [];
  // As maps, because a resource may be called "constructor".
  const [sentValues, storedValues] = [new Map(Object.entries(sent)), new Map(Object.entries(stored))];
  const keys = new Set([...sentValues.keys(), ...storedValues.keys()]);
  return [...keys]
    .filter((key) => !isSame(sentValues.get(key), storedValues.get(key)))
    .map((key) => ({
      path: `${name}.${key}`,
      sent: sentValues.get(key) ?? null,
      stored: storedValues.get(key) ?? null,
    }));
}

/** A resource without actions equals a missing one. The order does not matter. */
function haveSameActions(sent: unknown, stored: unknown): boolean {
  const [wanted, held] = [sent, stored].map((actions) => new Set<unknown>(Array.isArray(actions) ? actions : []));
  return isDeepStrictEqual(wanted, held);
}

/** A missing obligation equals false. */
function isSameFlag(sent: unknown, stored: unknown): boolean {
  return (sent ?? false) === (stored ?? false);
}
