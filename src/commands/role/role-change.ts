import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import { parseIdentifier } from '../../client/bulk-response.ts';
import type { RoleChange } from '../../client/operations.ts';
import type { Role } from '../../client/responses.ts';
import { quote } from '../../output/sanitize.ts';
import { UsageError } from '../../util/errors.ts';
import { HIDDEN_CHARACTER, showHidden, withoutJoiners } from '../../util/hidden-characters.ts';
import { isJsonObject, type JsonObject } from '../../util/json/json-object.ts';
import { parseJsonFile } from '../../util/json/parse-json-file.ts';
import { parseBoolean } from '../../util/units.ts';

/** Bounds of a role's name (interface 2.1). */
const [NAME_MIN, NAME_MAX] = [2, 50];

/** Whether the length of a name is valid in characters or in UTF-16 code units: services may count either. */
function isRoleName(name: string): boolean {
  return name.length >= NAME_MIN && [...name].length <= NAME_MAX;
}

/** What nobody sees in a text would name something else. A name may have the joiners of letters and emoji. */
const isVisible = (text: string) => !HIDDEN_CHARACTER.test(withoutJoiners(text));
const HIDDEN = z.refine<string>(isVisible, {
  error: ({ input }) => `must not contain hidden characters (got ${showHidden(String(input))})`,
});

const word = z.string({ error: 'must be a string' }).check(
  HIDDEN,
  z.refine((text) => text !== '' && text.trim() === text, {
    error: ({ input }) => `must not be blank, or have a space at an end (got ${JSON.stringify(input)})`,
  }),
);
const action = word.check(
  z.refine((text) => !/[\s=,]/.test(text), {
    error: ({ input }) => `must be actions without spaces, commas, and equals signs (got ${JSON.stringify(input)})`,
  }),
);

/**
 * The change of a role, whether options or a file name it. Checks only what the interface fixes: resources, actions, and
 * obligation keys are open sets (interface 2.1, 8).
 */
const roleChangeSchema = z.partial(
  z.object({
    name: z.string({ error: 'must be a string' }).check(
      HIDDEN,
      z.refine(isRoleName, {
        error: ({ input }) => `must have ${NAME_MIN} to ${NAME_MAX} characters (got ${[...String(input)].length})`,
      }),
    ),
    permissions: z.record(word, z.array(action, { error: 'must be an array of actions' }), {
      error: 'must be an object of resource names to arrays of actions',
    }),
    obligations: z.record(word, z.boolean({ error: 'must be true or false' }), {
      error: 'must be an object of names to booleans',
    }),
  }),
);

/** The fields of a role that an update can change (interface 4.1). */
export const CHANGEABLE_FIELDS = ['name', 'permissions', 'obligations'] as const;

/** The other fields of a role that a service returns (interface 2.1). A file may have them. */
const RETURNED_FIELDS: ReadonlySet<string> = new Set(['id', 'isBuiltIn', 'createdAt', 'updatedAt']);

/** The options that change a role, and the field of each. */
export interface ChangeFlags {
  name?: string;
  permission?: string[];
  obligation?: string[];
}
const OPTIONS: Readonly<Record<string, string>> = {
  name: '--name',
  permissions: '--permission',
  obligations: '--obligation',
};

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
 * file. Leaves out the fields that only a response has, and null, which services store or fail on.
 *
 * @throws UsageError that names the option or the field of the file, for a field that no role has, and for the file of another role
 */
export function readRoleChange(roleId: string, flags: ChangeFlags, file?: RoleFile): ReadChange {
  const fromFlags = {
    ...(flags.name !== undefined && { name: flags.name }),
    ...(flags.permission?.length && { permissions: readPermissions(flags.permission) }),
    ...(flags.obligation?.length && { obligations: readObligations(flags.obligation) }),
  };
  const fromFile = file === undefined ? {} : parseRoleFile(file, roleId);
  const isAccepted = (key: string) => CHANGEABLE_FIELDS.some((field) => field === key);
  const isIgnored = (key: string) => RETURNED_FIELDS.has(key) || (isAccepted(key) && fromFile[key] === null);
  const unknown = Object.keys(fromFile).find((key) => !isIgnored(key) && !isAccepted(key));
  if (unknown !== undefined)
    throw new UsageError(`--from: unknown field ${quote(unknown)}`, `Known: ${CHANGEABLE_FIELDS.join(', ')}.`);
  const accepted = Object.fromEntries(Object.entries(fromFile).filter(([key]) => !isIgnored(key)));
  // The change itself: zod drops a key called __proto__.
  const change: RoleChange = { ...accepted, ...fromFlags };
  const { success, error } = z.safeParse(roleChangeSchema, change);
  if (!success) throw invalidChange(error, fromFlags);
  return {
    change,
    ignored: Object.keys(fromFile)
      .filter(isIgnored)
      .map((key) => (RETURNED_FIELDS.has(key) ? key : `${key} (null)`)),
    replaced: Object.keys(accepted).filter((key) => Object.hasOwn(fromFlags, key)),
  };
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

/** Returns the error for the first invalid field. */
function invalidChange({ issues: [issue] }: z.core.$ZodError, fromFlags: object): UsageError {
  const [field = '', key] = issue?.path.map(String) ?? [];
  const source = Object.hasOwn(fromFlags, field) ? OPTIONS[field] : `--from: ${field}`;
  const inner = issue?.code === 'invalid_key' ? issue.issues[0] : undefined;
  const where = key === undefined || inner !== undefined ? '' : `: ${quote(key)}`;
  return new UsageError(`${source}${where} ${(inner ?? issue)?.message}`);
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
    throw new UsageError(`${flag}: ${quote(text)} is not of the form ${syntax}`, `For example: ${flag} ${example}`);
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
