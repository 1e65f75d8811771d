import { basename } from 'node:path';
import { toWireEntry } from '../../import/entry.ts';
import { RowStates } from '../../import/journal/row-states.ts';
import type { LookupCounts, MappedField, MappingInEffect } from '../../import/list/list-options.ts';
import { quote } from '../../import/list/list-row.ts';
import type { MemberList } from '../../import/list/open-list.ts';
import type { StopReason } from '../../import/report.ts';
import { renderJsonText } from '../../output/json.ts';
import { joinText, text } from '../../output/text.ts';
import { UsageError } from '../../util/errors.ts';
import { countOf, formatCount } from '../../util/units.ts';
import { type Context, describeTarget } from '../command-context.ts';
import { typedCommand } from '../typed-command.ts';
import type { CheckedImport } from './bulk-options.ts';
import { noteErrorsFile, writeRejectedRows } from './next-steps.ts';
import { printReport } from './print-report.ts';

/** Entries that a dry run shows. */
const SAMPLE_ENTRIES = 3;

/**
 * Reports on a list that orgadm does not send: a dry run, or a list with invalid rows. A dry run shows the
 * mapping in effect and the first entries that orgadm would send.
 *
 * @throws OrgadmError if the errors file of a valid list cannot be written
 */
export async function reportValidation(checked: CheckedImport, context: Context): Promise<void> {
  const { options, list, check, file } = checked;
  const { output } = context;
  const rowStates = new RowStates(check.total);
  for (let entry = 1; entry <= check.total; entry++) if (check.isInvalid(entry)) rowStates.set(entry, 'invalid');
  const source = { rows: () => list.rows(), rowStates, messageFor: () => undefined };
  const errorsFile = await writeRejectedRows(checked, source, new Set());
  const digest = options.dryRun ? checked.digest : undefined;
  const mapping = options.dryRun ? { ...check.mapping, sample: await sampleOf(list, context) } : undefined;

  const mappingText = mapping === undefined ? [] : renderMapping(mapping, check.total - check.invalid);
  const stopped: StopReason | null =
    check.invalid === 0 || options.dryRun ? null : { code: 'invalid-list', message: 'the list is invalid' };
  const validation = { isDryRun: options.dryRun, digest, mapping };
  const annotatedFile = options.annotate ? file : undefined;
  await printReport(source, { stopped, validation, before: mappingText, annotatedFile }, context);
  if (output.format === 'csv' && digest !== undefined)
    output.note(joinText([...mappingText, `digest: ${digest}`], text`\n`));
  if (errorsFile !== undefined && 'rows' in errorsFile)
    noteErrorsFile(errorsFile.rows, options.errorsFile ?? '', false, context);
  const failure = errorsFile !== undefined && 'failure' in errorsFile ? errorsFile.failure : undefined;
  if (check.invalid > 0) {
    if (failure !== undefined) output.warn(failure.message);
    throw invalidList(checked, context);
  }
  if (options.dryRun) {
    output.note('dry run: the list is valid and nothing was sent. The service may still reject rows.');
    await noteTarget(check.total, context);
  } else if (output.format !== 'table' && output.format !== 'markdown') output.note('0 rows: nothing was sent');
  if (failure !== undefined) throw failure;
}

/** The error of a list with invalid rows. Exit code 2. */
function invalidList({ check, options }: CheckedImport, { argv }: Context): UsageError {
  const rows = check.invalid === 1 ? '1 row is' : `${formatCount(check.invalid)} rows are`;
  const skip = options.dryRun ? '' : ', or add --invalid skip to send the others';
  const suggestion = check.suggestedOptions.length === 0 ? '' : `\nTry: ${typedCommand(argv, check.suggestedOptions)}`;
  return new UsageError(`${rows} invalid; nothing was sent`, `Fix the list${skip}.${suggestion}`, 'invalid-list');
}

/** Says what the command would do without --dry-run, if a service is configured. */
async function noteTarget(total: number, context: Context): Promise<void> {
  const target = await describeTarget(context);
  if (target === undefined || total === 0) return;
  context.output.note(`without --dry-run, orgadm would import ${countOf(total, 'person', 'people')} into ${target}`);
}

/** Returns the first entries that orgadm would send. */
async function sampleOf(list: MemberList, context: Context): Promise<unknown[]> {
  const { wire } = await context.settings();
  const sample: unknown[] = [];
  for await (const rows of list.rows()) {
    for (const { value } of rows) {
      if (value !== undefined) sample.push(toWireEntry(value, wire.member.deviceMgmtLabelId));
      if (sample.length === SAMPLE_ENTRIES) return sample;
    }
  }
  return sample;
}

function renderMapping(
  { fields, ignored, sample }: MappingInEffect & { sample: readonly unknown[] },
  valid: number,
): string[] {
  const lines = fields.map(renderField);
  if (ignored.length > 0) lines.push(`ignored: ${ignored.map(quote).join(', ')}`);
  if (sample.length > 0) {
    const which = sample.length < valid ? `first ${sample.length} of ${formatCount(valid)} entries` : 'entries';
    lines.push(
      '',
      `${which} that orgadm would send:`,
      ...sample.map((entry) => renderJsonText(entry, 0).replace(/\n\s*/g, ' ')),
    );
  }
  return lines;
}

/** Renders `isActive ← not "Suspended"`. */
function renderField({ field, source, inverted, lookup, values, default: fallback }: MappedField): string {
  if (source === null) return `${field} ← ${quote(fallback ?? '')} (default)`;
  const notes = [
    ...(lookup === null ? [] : [renderLookup(lookup)]),
    ...Object.entries(values).map(([from, to]) => `${from} → ${to}`),
    ...(fallback === null ? [] : [`blank → ${fallback}`]),
  ];
  return `${field} ← ${inverted ? 'not ' : ''}${quote(source)}${notes.length > 0 ? ` (${notes.join(', ')})` : ''}`;
}

/** Renders `"email" → "id" in "directory.csv": 2,897 of 2,899 values found`. */
function renderLookup({ file, from, to, found, missing }: LookupCounts): string {
  const counts = `${formatCount(found)} of ${countOf(found + missing, 'value')} found`;
  return `${quote(from)} → ${quote(to)} in ${quote(basename(file))}: ${counts}`;
}
