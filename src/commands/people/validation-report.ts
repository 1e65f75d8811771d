import { RunState } from '../../import/journal/run-state.ts';
import type { Validation } from '../../import/list/open-list.ts';
import { renderJson } from '../../output/json.ts';
import { EXIT, UsageError } from '../../util/errors.ts';
import { countOf, formatCount } from '../../util/units.ts';
import { type Context, describeTarget } from '../command-context.ts';
import type { CheckedImport } from '../import/checked-list.ts';
import { describePeople } from '../import/describe-run.ts';
import { describeMapping, dryRunLines, sampleOf } from '../import/mapping/mapping-in-effect.ts';
import { reportRun } from '../import/report/report-run.ts';

/**
 * Reports on a list that orgadm does not send: a dry run, or a list with invalid rows. A dry run shows the
 * mapping in effect and the first members that orgadm would send.
 *
 * @throws OrgadmError if the errors file of a valid list cannot be written
 */
export async function reportValidation(checked: CheckedImport, context: Context): Promise<void> {
  const { options, check, rows } = checked;
  const { output } = context;
  const { dryRun: isDryRun = false } = options;
  const valid = check.total - check.invalid;
  const run = new RunState(check.total);
  for (const number of rows.invalid) run.setInvalid(number);
  const described = { ...describeMapping(checked), ...(isDryRun && { sample: await sampleOf(check, context) }) };
  if (output.format === 'csv' && isDryRun) {
    for (const line of dryRunLines(described)) output.note(line);
    for (const member of described.sample ?? []) output.note(`would send ${renderJson(member).replace(/\n\s*/g, ' ')}`);
  }
  const failure = await reportRun(
    {
      run,
      rows,
      position: check.position,
      allRows: false,
      mapping: described,
      options,
      ending: { kind: 'checked', isDryRun, stopped: check.invalid === 0 || isDryRun ? null : INVALID_LIST },
      isSandbox: false,
    },
    context,
  );
  const isRejected = check.invalid > 0 && (valid === 0 || !(isDryRun && options.invalid === 'skip'));
  if (isRejected) {
    if (failure !== undefined) output.warn(failure.message);
    throw invalidList(checked);
  }
  if (isDryRun) {
    output.note(
      check.invalid === 0
        ? 'dry run: the list is valid and nothing was sent. The service may still reject rows.'
        : `dry run: nothing was sent. orgadm would skip ${countOf(check.invalid, 'invalid row')}, and the service may reject others.`,
    );
    await noteTarget(valid, options.limit, context);
    // As the import itself would: some rows of the list are not added.
    if (check.invalid > 0) context.exitCode = EXIT.incomplete;
  }
  if (failure !== undefined) throw failure;
}

const INVALID_LIST = { code: 'invalid-list', message: 'the list is invalid' };

/** The error of a list with invalid rows. Exit code 2. */
function invalidList({ check }: CheckedImport): UsageError {
  const rows = check.invalid === 1 ? '1 row is' : `${formatCount(check.invalid)} rows are`;
  return new UsageError(`${rows} invalid; nothing was sent`, howToFix(check), 'invalid-list');
}

function howToFix({ total, invalid, duplicates, shortened }: Validation): string {
  if (shortened > 0)
    return 'A spreadsheet has shortened user IDs, and their last digits are lost. Export the list again. To open it in a spreadsheet, import the file (Data > From Text) and make the column with the IDs a text column first.';
  if (invalid === total) return 'Fix the list.';
  const first =
    duplicates === 0 ? '' : ' If rows share a user ID, orgadm sends only the first of them, and only if it is valid.';
  return `Fix the list, or add --invalid skip to send the others.${first}`;
}

/** Says what the command would do without --dry-run, if a service is configured. */
async function noteTarget(total: number, limit: number | undefined, context: Context): Promise<void> {
  const target = await describeTarget(context);
  if (target === undefined || total === 0) return;
  context.output.note(
    `without --dry-run, orgadm would import ${describePeople({ unsent: total }, limit, 'start')} into ${target}`,
  );
}
