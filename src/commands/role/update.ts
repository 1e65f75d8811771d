import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { UsageError } from '../../errors.ts';
import { fileTrouble } from '../../file-trouble.ts';
import { collect } from '../options.ts';
import { type ChangeFlags, changeFromFlags, changeFromJson, joinChanges } from './change.ts';
import { differences, printRole } from './print-role.ts';

export interface RoleUpdateOptions extends ChangeFlags {
  from?: string;
  dryRun?: boolean;
}

const HELP = `
--permission and --obligation give the whole new set: a service may drop what is
not named.

Examples:
  $ orgadm role update rol_custom_1 --name "Lead Auditor" --sandbox
  $ orgadm role update rol_custom_1 --permission control=read,update \\
      --permission risk=read --sandbox
  $ orgadm role update rol_custom_1 --obligation compliance=true --dry-run --sandbox
  $ echo '{"permissions":{"policy":["read"]}}' | \\
      orgadm role update rol_custom_1 --from - --sandbox

JSON output: the role as the service answered it (id, name, permissions,
isBuiltIn, createdAt, updatedAt, and whatever else it gave); null where it
answered without a body. With --dry-run: {"method","path","body"}.
`;

/** Registers `role update` under the noun `role`. */
export function registerRoleUpdate(parent: Command, context: () => Context, run = runRoleUpdate): void {
  parent
    .command('update')
    .description('Change the name, permissions or obligations of a custom role.')
    .argument('<role-id>', 'identifier of the role')
    .option('--name <name>', 'new name, 2 to 50 characters')
    .option(
      '--permission <resource=actions>',
      'allowed actions on a resource: control=read,update (repeatable)',
      collect,
    )
    .option('--obligation <key=boolean>', 'an obligation: compliance=true (repeatable)', collect)
    .option('--from <file>', 'a JSON object with name, permissions, obligations; - for standard input')
    .option('--dry-run', 'show the exact request and send nothing')
    .addHelpText('after', HELP)
    .action((roleId: string, options: RoleUpdateOptions) => run(roleId, options, context()));
}

/** Checks the change, sends it, and shows the role as the service now holds it. */
export async function runRoleUpdate(roleId: string, options: RoleUpdateOptions, context: Context): Promise<void> {
  const { output } = context;
  const { encodePath } = await import('../../service/request-url.ts');
  const { roleUpdatePath, updateRole } = await import('../../service/roles.ts');
  const path = encodePath(roleUpdatePath(roleId));
  const change = joinChanges(changeFromFlags(options), await readFrom(options.from, context));

  if (options.dryRun) {
    const request = { method: 'PATCH', path, body: change };
    await (output.format === 'ndjson' ? output.ndjson(request) : output.json(request));
    output.note('dry run: nothing was sent');
    return;
  }
  if (change.permissions !== undefined) {
    output.warn('a service may replace the whole permission map: resources that were not named may be dropped');
  }
  const role = await updateRole(await context.service(), roleId, change);
  await printRole(role, output);
  for (const difference of differences(roleId, change, role)) output.warn(difference);
  if (change.obligations !== undefined && role?.obligations == null) {
    const sent = Object.entries(change.obligations).map(([key, value]) => `${key}=${value}`);
    output.note(`obligations sent, which the answer does not show: ${sent.join(', ')}`);
  }
}

async function readFrom(file: string | undefined, context: Context) {
  if (file === undefined) return {};
  if (file === '-' && context.host.stdin.isTTY) {
    throw new UsageError('--from -: standard input is a terminal', 'Pipe a JSON object in, or name a file.');
  }
  const { change, ignored } = changeFromJson(await readText(file, context), file === '-' ? 'standard input' : file);
  if (ignored.length > 0)
    context.output.note(`--from: not sent, for the service sets them itself: ${ignored.join(', ')}`);
  return change;
}

async function readText(file: string, context: Context): Promise<string> {
  if (file === '-') return text(context.host.stdin);
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new UsageError(`--from: cannot read ${file}: ${fileTrouble(error)}`);
  }
}
