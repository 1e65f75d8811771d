import type { Command } from 'commander';
import type { RoleChange } from '../../client/update-role.ts';
import { renderJson } from '../../output/json.ts';
import { printNotice, printRecords, recordOf } from '../../output/print-records.ts';
import { successText, type Text, text } from '../../output/text.ts';
import { EXIT } from '../../util/errors.ts';
import { inputName, MAX_JSON_BYTES, readInputFile } from '../../util/files.ts';
import { countOf } from '../../util/units.ts';
import {
  announceChange,
  type Context,
  describeTarget,
  needsConfirmation,
  promptTerminal,
  SANDBOX_TARGET,
} from '../command-context.ts';
import { collectValues, setHelpText } from '../define-command.ts';
import { roleBlocks, roleCsvRows } from './print-role.ts';
import {
  CHANGEABLE_FIELDS,
  type ChangeFlags,
  mergeRoleChanges,
  roleChangeFromFlags,
  roleChangeFromJson,
} from './role-change.ts';
import { findMismatches } from './role-mismatches.ts';

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
returned", which does not count as a difference. orgadm exits 1 if the response is
neither empty nor a role (an object with an id or a name), or if it says that it
failed ("success": false, or an error). The service may still have updated the
role.

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
    const code = renderJson(request).split('\n');
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
  const warnings = replacementWarnings(roleId, change);
  const isConfirmed = warnings.length > 0 && (await needsConfirmation(options.yes ?? false, context));
  // A question names the target itself.
  if (!isConfirmed) announceChange(`Updating role ${roleId} ${place}`, output);
  for (const warning of warnings) output.warn(warning);
  if (isConfirmed) {
    const { confirmChange } = await import('../../output/prompt.ts');
    await confirmChange(`Update role ${roleId} ${place}?`, promptTerminal('nothing was sent', context));
  }
  const role = await updateRole(service, roleId, change);
  const mismatches = role === undefined ? [] : findMismatches(roleId, change, role);
  const notReturned = CHANGEABLE_FIELDS.filter((field) => change[field] !== undefined && role?.[field] == null);
  const record = { ...role, mismatches };
  const views = { ...recordOf(record), csv: () => roleCsvRows(role) };
  await (role === undefined
    ? printNotice(views, successText(text`updated role ${roleId}; the service did not return it`), output)
    : printRecords({ ...views, people: () => roleBlocks(role, mismatches, notReturned) }, output));
  if (mismatches.length > 0) {
    const values = countOf(mismatches.length, 'value');
    const paths = mismatches.map(({ path }) => path).join(', ');
    output.warn(text`the service stored ${values} differently from what orgadm sent: ${paths}`);
    context.exitCode = EXIT.incomplete;
  }
  if (change.permissions !== undefined && role?.permissions != null) output.note(describePermissions(role.permissions));
  if (role !== undefined && notReturned.length > 0)
    output.note(`the service did not return: ${notReturned.join(', ')}`);
  if (role !== undefined && mismatches.length === 0) announceChange(successText(text`updated role ${roleId}`), output);
}

async function describePlace(context: Context): Promise<string | undefined> {
  const target = await describeTarget(context);
  return target && (target === SANDBOX_TARGET ? `in ${target}` : `at ${target}`);
}

/** Returns a warning for each map to send. Before the request, orgadm does not know the current values of the role. */
function replacementWarnings(roleId: string, { permissions, obligations }: RoleChange): Text[] {
  const warning = (name: string, entries: readonly string[]) =>
    entries.length === 0
      ? text`this removes all ${name} of ${roleId}`
      : text`this replaces all ${name} of ${roleId}: ${entries.join(', ')}`;
  return [
    ...(permissions === undefined
      ? []
      : [
          warning(
            'permissions',
            Object.entries(permissions).map(([key, actions]) => `${key} (${actions.join(', ')})`),
          ),
        ]),
    ...(obligations === undefined
      ? []
      : [
          warning(
            'obligations',
            Object.entries(obligations).map(([key, value]) => `${key} (${value})`),
          ),
        ]),
  ];
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
