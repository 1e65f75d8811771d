import { isDeepStrictEqual } from 'node:util';
import type { Command } from 'commander';
import { parseIdentifier } from '../../client/bulk-response.ts';
import type { Role } from '../../client/response-schemas.ts';
import type { RoleChange } from '../../client/update-role.ts';
import type { Block } from '../../output/blocks.ts';
import { renderCell, renderJson } from '../../output/json.ts';
import { printNotice, printRecords, recordOf } from '../../output/print-records.ts';
import { confirmChange } from '../../output/prompt.ts';
import { successText, type Text, text } from '../../output/text.ts';
import { EXIT } from '../../util/errors.ts';
import { inputName, MAX_JSON_BYTES, readInputFile } from '../../util/files.ts';
import { countOf, formatTime } from '../../util/units.ts';
import { announceChange, type Context, describeTarget, needsConfirmation, SANDBOX_TARGET } from '../command-context.ts';
import { collectValues, setHelpText } from '../define-command.ts';
import {
  CHANGEABLE_FIELDS,
  type ChangeFlags,
  mergeRoleChanges,
  roleChangeFromFlags,
  roleChangeFromJson,
} from './role-change.ts';
import type { Mismatch } from './role-output.ts';

interface RoleUpdateOptions extends ChangeFlags {
  from?: string;
  dryRun?: boolean;
  yes?: boolean;
}

const HELP = `
--permission and --obligation replace the entire set, so the service may drop
whatever you leave out. orgadm warns you before it sends the request. On a
terminal, it also asks for confirmation, unless you pass --yes or --sandbox.
Afterwards, it lists the resources that the role has permissions on.

--from accepts a role as the service returns it. orgadm leaves out null and the
fields that an update does not accept, and tells you so.

If the service stored something other than what you sent, orgadm lists every
difference and exits 3. A field that is missing from the response is "not
returned", which does not count as a difference. If the response is neither empty
nor a role (an object with an id or a name), orgadm exits 1. The service may still
have updated the role.

Examples:
  $ orgadm role update rol_custom_1 --name "Lead Auditor" --sandbox
  $ orgadm role update rol_custom_1 --permission control=read,update \\
      --permission risk=read --sandbox
  $ orgadm role update rol_custom_1 --obligation compliance=true --dry-run --sandbox
  $ echo '{"permissions":{"policy":["read"]}}' | \\
      orgadm role update rol_custom_1 --from - --sandbox

JSON output: the role as the service returned it (id, name, permissions,
isBuiltIn, createdAt, updatedAt, and any other fields), with
"mismatches":[{"path","sent","stored"}], empty if there are none; for an empty
response, only "mismatches". With --dry-run: {"method","path","body"}.
`;

/** Registers `role update`. */
export function registerRoleUpdate(command: Command, context: () => Context): void {
  setHelpText(command, HELP);
  command
    .argument('<role-id>', 'ID of the role')
    .option('--name <name>', 'new name, 2 to 50 characters')
    .option(
      '--permission <resource=actions>',
      'allowed actions on a resource: control=read,update (repeatable)',
      collectValues,
    )
    .option('--obligation <key=boolean>', 'value of an obligation: compliance=true (repeatable)', collectValues)
    .option('--from <file>', 'JSON file with name, permissions, obligations; - for standard input')
    .option('--dry-run', 'print the request without sending it')
    .option('--yes', 'replace permissions or obligations without asking')
    .action((roleId: string, options: RoleUpdateOptions) => runRoleUpdate(roleId, options, context()));
}

/** Validates the change, sends it, and prints the role as the service now stores it. */
async function runRoleUpdate(roleId: string, options: RoleUpdateOptions, context: Context): Promise<void> {
  const { output } = context;
  const { encodePath } = await import('../../client/http/request-url.ts');
  const { roleUpdatePath, updateRole } = await import('../../client/update-role.ts');
  const path = encodePath(roleUpdatePath(roleId));
  const change = mergeRoleChanges(roleChangeFromFlags(options), await readFrom(options.from, context));

  if (options.dryRun) {
    const request = { method: 'PATCH', path, body: change };
    const code = renderJson(request).trimEnd().split('\n');
    await printRecords(
      recordOf(request, () => [{ code, language: 'json' }]),
      output,
    );
    output.note('dry run: nothing was sent');
    const place = await describePlace(context);
    if (place !== undefined) output.note(text`without --dry-run, orgadm would update role ${roleId} ${place}`);
    return;
  }
  const service = await context.service();
  const place = (await describePlace(context)) ?? `at ${service.baseUrl}`;
  const warnings = replacementWarnings(change);
  const isConfirmed = warnings.length > 0 && (await needsConfirmation(options.yes ?? false, context));
  // A question names the target itself.
  if (!isConfirmed) announceChange(`Updating role ${roleId} ${place}`, output);
  for (const warning of warnings) output.warn(warning);
  if (isConfirmed) await confirmChange(`Update role ${roleId} ${place}?`, 'nothing was sent', context.host);
  const role = await updateRole(service, roleId, change);
  const mismatches = role === undefined ? [] : findMismatches(roleId, change, role);
  const notReturned = CHANGEABLE_FIELDS.filter((field) => change[field] !== undefined && role?.[field] == null);
  const record = { ...role, mismatches };
  const views = { ...recordOf(record), csv: () => roleCsvRows(role) };
  await (role === undefined
    ? printNotice(views, successText(text`updated role ${roleId}; the service did not return it`), output)
    : printRecords({ ...views, people: () => roleBlocks(role, mismatches, notReturned) }, output));
  for (const mismatch of mismatches) output.warn(describeMismatch(mismatch));
  if (change.permissions !== undefined && role?.permissions != null) output.note(describePermissions(role.permissions));
  if (role !== undefined && notReturned.length > 0)
    output.note(`the service did not return: ${notReturned.join(', ')}`);
  if (mismatches.length > 0) context.exitCode = EXIT.incomplete;
  if (role === undefined) return;
  const differences = text`${countOf(mismatches.length, 'difference')} between what orgadm sent and what the service stored`;
  announceChange(mismatches.length > 0 ? differences : successText(text`updated role ${roleId}`), output);
}

async function describePlace(context: Context): Promise<string | undefined> {
  const target = await describeTarget(context);
  return target && (target === SANDBOX_TARGET ? `in ${target}` : `at ${target}`);
}

/** Returns a warning for each map to send. Before the request, orgadm does not know the current values of the role. */
function replacementWarnings(change: RoleChange): string[] {
  return (['permissions', 'obligations'] as const).flatMap((field) => {
    const sent = change[field];
    if (sent === undefined) return [];
    const keys = Object.keys(sent).join(', ');
    const others = field === 'permissions' ? 'those on resources' : 'those';
    return keys === ''
      ? `you are sending empty ${field}, so the service may remove all ${field} of the role`
      : `the service may replace all ${field} of the role, and drop ${others} other than ${keys}`;
  });
}

/** Describes the resources of the stored map. Without the previous map, orgadm cannot tell what the service dropped. */
function describePermissions(stored: Readonly<Record<string, readonly string[]>>): Text {
  const resources = Object.entries(stored).flatMap(([resource, actions]) => (actions.length > 0 ? resource : []));
  const last = resources.pop();
  if (last === undefined) return text`the role now has no permissions`;
  const list = resources.length === 0 ? last : `${resources.join(', ')} and ${last}`;
  return text`the role now has permissions on ${list} only`;
}

async function readFrom(file: string | undefined, context: Context) {
  if (file === undefined) return {};
  const json = await readInputFile(file, context.host.stdin, {
    option: '--from',
    maxBytes: MAX_JSON_BYTES,
    terminalHint: 'Pipe a JSON object in, or name a file.',
  });
  const { change, ignored } = roleChangeFromJson(json.toString('utf8'), inputName(file));
  if (ignored.length > 0)
    context.output.note(`--from: orgadm left out what a role update does not accept: ${ignored.join(', ')}`);
  return change;
}

/** Returns what the role has and what differs. */
function roleBlocks(role: Role, mismatches: readonly Mismatch[], notReturned: readonly string[]): Block[] {
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
function roleCsvRows(role: Role | undefined): unknown[][] {
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

/**
 * Compares the role in the response with the change that was sent. A field that the response does not have is not a
 * mismatch. Maps are compared in full, since a sent map replaces the old one (interface 4.1): an entry that the service
 * kept although it was not sent is a mismatch too. The order of actions does not matter.
 */
function findMismatches(roleId: string, change: RoleChange, role: Role): Mismatch[] {
  const scalars = [
    { path: 'id', sent: roleId, stored: parseIdentifier(role.id) },
    { path: 'name', sent: change.name, stored: role.name },
  ];
  return [
    ...scalars.filter(({ sent, stored }) => sent !== undefined && stored != null && sent !== stored),
    ...compareMaps('permissions', change.permissions, role.permissions, haveSameActions),
    ...compareMaps('obligations', change.obligations, role.obligations, isSameFlag),
  ];
}

/** Describes a mismatch in one sentence. */
function describeMismatch({ path, sent, stored }: Mismatch): string {
  const quote = (value: unknown) => (value === null ? 'nothing' : JSON.stringify(value));
  return `${path}: orgadm sent ${quote(sent)}, but the service stored ${quote(stored)}`;
}

function compareMaps(
  name: string,
  sent: object | undefined,
  stored: object | null | undefined,
  isSame: (sent: unknown, stored: unknown) => boolean,
): Mismatch[] {
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
