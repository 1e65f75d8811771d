import { basename } from 'node:path';
import type { FieldNames, GlobalFlags } from '../../config/settings.ts';
import { type RejectedRow, writeErrorsFile } from '../../import/errors-file.ts';
import type { RowState } from '../../import/journal/row-states.ts';
import { type ReportSource, reportRows } from '../../import/report.ts';
import { isNearlyAlreadyMember } from '../../import/send/already-member.ts';
import { NOT_TRIED_ALONE } from '../../import/send/row-messages.ts';
import type { Output } from '../../output/output.ts';
import { cleanLine, quoteForShell } from '../../output/sanitize.ts';
import { OrgadmError } from '../../util/errors.ts';
import { countOf, formatCount } from '../../util/units.ts';
import { type CheckedImport, resumeCommand, retryCommand } from './bulk-options.ts';

/** The number of rows in the errors file, or why it could not be written. */
export type ErrorsFileResult = { rows: number } | { failure: OrgadmError };

/**
 * Writes the failed and invalid rows into the errors file, before the report. A failure is returned, not thrown: the
 * outcome of the rows is still reported. Returns undefined if no errors file was asked for.
 */
export async function writeRejectedRows(
  { options, check }: Pick<CheckedImport, 'options' | 'check'>,
  source: ReportSource,
): Promise<ErrorsFileResult | undefined> {
  if (options.errorsFile === undefined) return undefined;
  try {
    return { rows: await writeErrorsFile(options.errorsFile, check.layout, rejectedRows(source)) };
  } catch (failure) {
    if (!(failure instanceof OrgadmError)) throw failure;
    return { failure };
  }
}

async function* rejectedRows(source: ReportSource): AsyncGenerator<RejectedRow> {
  for await (const { row, listRow } of reportRows(source, (state) => state === 'failed' || state === 'invalid')) {
    if (listRow !== undefined) yield { row: listRow, error: row.error ?? '' };
  }
}

/** What became of a run, as far as the next step depends on it. */
export interface RunOutcome {
  /** Whether --resume would send something. */
  isUnfinished: boolean;
  counts: { existing: number; failed: number; invalid: number };
  /** Whether the report names duplicates or settings, which come first. */
  hasAdvice: boolean;
  errorsFile: ErrorsFileResult | undefined;
}

/**
 * Prints what to do after a run, in at most two lines: fix the rows in the errors file, continue the run, save the rejected
 * rows, or accept existing members.
 *
 * @param global the flags that reach the same service again
 */
export function noteNextSteps(outcome: RunOutcome, checked: CheckedImport, global: GlobalFlags, output: Output): void {
  const { counts, errorsFile } = outcome;
  const { options } = checked;
  if (errorsFile !== undefined && 'rows' in errorsFile)
    noteErrorsFile(errorsFile.rows, checked, outcome.isUnfinished ? undefined : global, output);
  if (outcome.isUnfinished) noteResumeCommand(checked, global, output);
  if (outcome.isUnfinished || outcome.hasAdvice || errorsFile !== undefined) return;
  const rejected = counts.failed + counts.invalid;
  if (rejected > 0) {
    const [rows, them] = rejected === 1 ? ['1 row', 'it'] : [`${formatCount(rejected)} rows`, 'them'];
    const add = `${options.mode === 'resume' ? '' : '--resume '}--errors-file ${errorsFileName(checked)}`;
    output.hint(`${rows} can be fixed and imported again: add ${add} to save ${them}`);
  } else if (counts.existing > 0 && !options.ignoreExisting) {
    output.hint('To exit with 0 when people are members already, add --ignore-existing');
  }
}

/**
 * Prints how many rows the errors file has, and the command that imports them.
 *
 * @param global the flags of that command; undefined for a run that is not finished, whose errors file is incomplete
 */
export function noteErrorsFile(
  rows: number,
  { options, flags }: Pick<CheckedImport, 'options' | 'flags'>,
  global: GlobalFlags | undefined,
  output: Output,
): void {
  output.note(`errors file: ${rows === 0 ? 'no row' : countOf(rows, 'row')} to fix`);
  if (rows > 0 && global !== undefined && options.errorsFile !== undefined)
    output.hint(`when fixed: ${retryCommand(options.errorsFile, flags, global)}`);
}

/** Returns a name for an errors file that is not the list. */
function errorsFileName({ file, check }: CheckedImport): string {
  const name = `rejected.${check.layout.format}`;
  return basename(file) === name ? `still-${name}` : name;
}

/** Prints the command that continues a run. */
export function noteResumeCommand({ file, flags }: CheckedImport, global: GlobalFlags, output: Output): void {
  const again = file === '-' ? ' (with the same list on standard input)' : '';
  output.note(`to continue${again}: ${resumeCommand(file, flags, global)}`);
}

const QUOTED_CHARACTERS = 200;

/** Messages about a field that the service does not accept. */
const UNKNOWN_FIELD = /should not exist|not allowed|unknown|unexpected|unrecogni[sz]ed|not permitted|additional/i;

/** Finds the messages in a report that a setting of the profile would have prevented. */
export class SettingHints {
  readonly #names: FieldNames['member'];
  #label: string | undefined;
  #existing: string | undefined;

  constructor(names: FieldNames['member']) {
    this.#names = names;
  }

  add(state: RowState, message: string | null): void {
    if (message === null || (state !== 'failed' && state !== 'unknown')) return;
    // It says why the request was rejected, possibly for another of its rows.
    if (message.startsWith(NOT_TRIED_ALONE)) return;
    const { deviceMgmtLabelId } = this.#names;
    if (message.includes(deviceMgmtLabelId) && UNKNOWN_FIELD.test(message)) this.#label ??= message;
    else if (isNearlyAlreadyMember(message)) this.#existing ??= message;
  }

  /** Returns one hint for each setting. */
  hints(): string[] {
    const found: string[] = [];
    if (this.#label !== undefined) {
      found.push(
        `The service does not know ${this.#names.deviceMgmtLabelId}. If it has another name for the label, set it: ` +
          'orgadm config set wire.member.deviceMgmtLabelId <name>',
      );
    }
    if (this.#existing !== undefined) {
      found.push(
        `If "${cleanLine(this.#existing).slice(0, QUOTED_CHARACTERS)}" states that the user is already a member, add a phrase that all such messages contain: ` +
          // The command replaces the entire list.
          `orgadm config set wire.member.existing ${[...this.#names.existing.map(quoteForShell), '"<phrase>"'].join(' ')}`,
      );
    }
    return found;
  }
}
