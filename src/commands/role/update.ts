import type { RoleChange } from '../../client/operations.ts';
import { text } from '../../output/text.ts';
import { EXIT, OrgadmError, UsageError, withHint } from '../../util/errors.ts';
import { inputName, MAX_JSON_BYTES, readInputFile } from '../../util/files.ts';
import type { Host } from '../../util/host.ts';
import {
  type Context,
  describeTarget,
  needsConfirmation,
  noteForPeople,
  promptTerminal,
  requirePrompts,
  SANDBOX_TARGET,
} from '../command-context.ts';
import { collectValues, RepeatableOption } from '../define-command.ts';
import { identifierParser } from '../identifier.ts';
import type { HelpText, OrgadmCommand } from '../orgadm-command.ts';
import { reportInterruption } from '../report-interruption.ts';
import { lossWarnings, printDryRun, printUpdatedRole } from './print-role.ts';
import { CHANGEABLE_FIELDS, type ChangeFlags, findMismatches, type RoleFile, readRoleChange } from './role-change.ts';

interface RoleUpdateOptions extends ChangeFlags {
  from?: string;
  dryRun?: boolean;
  yes?: boolean;
}

const HELP: HelpText = {
  examples: [
    'orgadm role update rol_custom_1 --name "Lead Auditor" --sandbox',
    'orgadm role update rol_custom_1 --permission control=read,update --permission risk=read --sandbox',
    'orgadm role update rol_custom_1 --obligation compliance=true --dry-run --sandbox',
    'echo \'{"permissions":{"policy":["read"]}}\' | orgadm role update rol_custom_1 --from - --sandbox',
  ],
  notes: [
    '--permission and --obligation replace the entire set, so the service may drop whatever you leave out. ' +
      'A new name may take the role away from its members. orgadm warns you, and asks for confirmation on a terminal. ' +
      'Afterwards, it prints the role as the service now stores it.',
    '--from accepts a role as the service returns it, unless it has the id of another role. orgadm leaves out null ' +
      'and what only a response has (id, isBuiltIn, createdAt, updatedAt), and tells you so. An option replaces that ' +
      'field of the file.',
    'If the service stored something other than what you sent, orgadm lists every difference and exits 3. It fails ' +
      'unless the response is unambiguous, and the service may still have updated the role (docs/how-services-differ.md).',
    'JSON output: the role as the service stored it, with "mismatches". With --dry-run: the request.',
  ],
};

/** Registers `role update`. */
export default function registerRoleUpdate(command: OrgadmCommand, context: () => Context): void {
  command.helpText = HELP;
  command
    .argument('<role-id>', 'ID of the role', identifierParser('the role ID'))
    .option('--name <name>', 'new name, 2 to 50 characters')
    .addOption(
      new RepeatableOption(
        '--permission <resource=actions>',
        'allowed actions on a resource: control=read,update',
        collectValues,
      ),
    )
    .addOption(
      new RepeatableOption('--obligation <key=boolean>', 'value of an obligation: compliance=true', collectValues),
    )
    .option('--from <file>', 'JSON file with name, permissions, obligations; - for standard input')
    .option('--dry-run', 'print the request without sending it')
    .option('--yes', 'update the role without asking')
    .action((roleId: string, options: RoleUpdateOptions) => runRoleUpdate(roleId, options, context()));
}

/** Validates the change, sends it, and prints the role as the service now stores it. */
async function runRoleUpdate(roleId: string, options: RoleUpdateOptions, context: Context): Promise<void> {
  const { output } = context;
  const { encodePath } = await import('../../client/request-url.ts');
  const { roleUpdatePath, updateRole } = await import('../../client/operations.ts');
  const path = encodePath(roleUpdatePath(roleId));
  const change = await readChange(roleId, options, context);
  const warnings = lossWarnings(roleId, change);

  if (options.dryRun) {
    await printDryRun({ method: 'PATCH', path, body: change }, output);
    for (const warning of warnings) output.warn(warning);
    const place = await describePlace(context);
    if (place !== undefined) output.note(text`without --dry-run, orgadm would update role ${roleId} ${place}`);
    return;
  }
  const service = await context.service();
  const place = (await describePlace(context)) ?? `at ${service.baseUrl}`;
  const isConfirmed = warnings.length > 0 && (await needsConfirmation(options.yes, context));
  if (isConfirmed) requirePrompts('update the role', context);
  // A question names the target itself.
  if (!isConfirmed) noteForPeople(`Updating role ${roleId} ${place}`, output);
  for (const warning of warnings) output.warn(warning);
  if (isConfirmed) {
    const { confirmChange } = await import('../../output/prompt.ts');
    await confirmChange(`Update role ${roleId} ${place}?`, promptTerminal('Nothing was sent.', context));
  }
  const toBeSure = 'To make sure that it is, run the same command again.';
  const stopListening = reportInterruption(`role ${roleId} may have been changed`, toBeSure, context);
  const role = await updateRole(service, roleId, change)
    .catch((error: unknown) => {
      throw explainRejectedGrant(error, change);
    })
    .finally(stopListening);
  const mismatches = role === undefined ? [] : findMismatches(roleId, change, role);
  await printUpdatedRole(role, { roleId, change, flags: options, mismatches }, output);
  if (mismatches.length > 0) context.exitCode = EXIT.incomplete;
}

/**
 * Replaces the hint of a 403 whose message names a permission of the change: the key may update the role, but not grant this,
 * and another key may not, either. Returns any other error unchanged.
 */
function explainRejectedGrant(error: unknown, { permissions = {} }: RoleChange): unknown {
  if (!(error instanceof OrgadmError) || error.code !== 'forbidden') return error;
  const { message } = error;
  const isGrant = Object.entries(permissions).some(
    ([resource, actions]) => message.includes(resource) && actions.some((action) => message.includes(action)),
  );
  if (!isGrant) return error;
  return withHint(
    error,
    'The service decides what a key may grant. Someone who has this permission can change the role in the service itself.',
  );
}

async function describePlace(context: Context): Promise<string | undefined> {
  const target = await describeTarget(context);
  return target && (target === SANDBOX_TARGET ? `in ${target}` : `at ${target}`);
}

/** Reads the change from the options and the file of --from. Throws UsageError for one that has no field. */
async function readChange(
  roleId: string,
  { from, ...flags }: RoleUpdateOptions,
  { host, output }: Context,
): Promise<RoleChange> {
  const { change, ignored, replaced } = readRoleChange(
    roleId,
    flags,
    from === undefined ? undefined : await readRoleFile(from, host.stdin),
  );
  if (ignored.length > 0)
    output.note(`--from: orgadm left out fields that a role update does not accept: ${ignored.join(', ')}`);
  if (replaced.length > 0) output.note(`--from: options replace fields of the file: ${replaced.join(', ')}`);
  if (Object.keys(change).length > 0) return change;
  if (from !== undefined)
    throw new UsageError(
      `--from: ${inputName(from)} has none of ${CHANGEABLE_FIELDS.join(', ')}`,
      'It must be an object such as {"name": "Auditor"}.',
    );
  throw new UsageError('nothing to change', 'Use --name, --permission, --obligation, or --from.');
}

async function readRoleFile(file: string, stdin: Host['stdin']): Promise<RoleFile> {
  const json = await readInputFile(file, stdin, {
    option: '--from',
    maxBytes: MAX_JSON_BYTES,
    terminalHint: 'Pipe a JSON object in, or name a file.',
  });
  return { text: decodeRole(json, inputName(file)), name: inputName(file) };
}

/** Decodes the file of a role. Throws UsageError if it is in another encoding: its names would be stored with damaged letters. */
function decodeRole(json: Buffer, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(json);
  } catch {
    throw new UsageError(`--from: ${name} is not in UTF-8`, 'Save it in UTF-8, then try again.');
  }
}
