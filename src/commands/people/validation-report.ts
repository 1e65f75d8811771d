import { RunState } from '../../import/journal/run-state.ts';
import { EXIT, UsageError } from '../../util/errors.ts';
import { countOf, formatCount } from '../../util/units.ts';
import { type Context, describeTarget } from '../command-context.ts';
import type { CheckedImport } from '../import/checked-list.ts';
import { describePeople } from '../import/describe-run.ts';
import { listRead, readLines } from '../import/mapping/describe-mapping.ts';
import { reportRun } from '../import/report/report-run.ts';

/**
 * Reports on a list that orgadm does not send: a dry run, or a list with invalid rows. A dry run shows how the list was read.
 *
 * @throws OrgadmError if the errors file of a valid list cannot be written
 */
export async function reportValidation(checked: CheckedImport, context: Context): Promise<void> {
  const { options, table, rows } = checked;
  const { output } = context;
  const { dryRun: isDryRun = false } = options;
  const invalid = rows.invalid.length;
  const run = new RunState(rows.total);
  for (const number of rows.invalid) run.setInvalid(number);
  const read = listRead(checked);
  if (output.format === 'csv' && isDryRun) for (const line of readLines(read)) output.note(line);
  const failure = await reportRun(
    {
      run,
      rows,
      position: table.position,
      allRows: false,
      read,
      options,
      ending: { kind: 'checked', isDryRun, stopped: invalid === 0 || isDryRun ? null : INVALID_LIST },
      isSandbox: false,
    },
    context,
  );
  const isRejected = invalid === rows.total || (invalid > 0 && !(isDryRun && options.invalid === 'skip'));
  if (isRejected) {
    if (failure !== undefined) output.warn(failure.message);
    throw invalidList(invalid, rows.total);
  }
  output.note(
    invalid === 0
      ? 'dry run: the list is valid and nothing was sent. The service may still reject rows.'
      : `dry run: nothing was sent. orgadm would skip ${countOf(invalid, 'invalid row')}, and the service may reject others.`,
  );
  await noteTarget(rows.total - invalid, options.limit, context);
  // As the import itself would: some rows of the list are not added.
  if (invalid > 0) context.exitCode = EXIT.incomplete;
  if (failure !== undefined) throw failure;
}

const INVALID_LIST = { code: 'invalid-list', message: 'the list is invalid' };

/** The error of a list with invalid rows. Exit code 2. */
function invalidList(invalid: number, total: number): UsageError {
  const rows = invalid === 1 ? '1 row is' : `${formatCount(invalid)} rows are`;
  const hint = invalid === total ? 'Fix the list.' : 'Fix the list, or add --invalid skip to send the others.';
  return new UsageError(`${rows} invalid; nothing was sent`, hint, 'invalid-list');
}

/** Says what the command would do without --dry-run, if a service is configured. */
async function noteTarget(total: number, limit: number | undefined, context: Context): Promise<void> {
  const target = await describeTarget(context);
  if (target === undefined || total === 0) return;
  context.output.note(
    `without --dry-run, orgadm would import ${describePeople({ unsent: total }, limit, 'start')} into ${target}`,
  );
}
