import { entriesOf, type Mapping } from '../../../import/mapping.ts';
import type { MemberField } from '../../../import/new-member.ts';
import { quote, quoteForShell } from '../../../output/sanitize.ts';
import { UsageError } from '../../../util/errors.ts';
import { comparableText } from '../../../util/visible-text.ts';
import { fieldOptions, fitsOptions } from './mapping-flags.ts';

/**
 * Rejects options that read a field from another column than the file of --mapping, if the file translates the values of its own
 * column: "no" in the column "Active" is not what "any other value" was in the column "Status". If the column was only renamed, the
 * user says so by repeating the options.
 *
 * @param saved the file of --mapping
 * @param given the options
 * @throws UsageError that names the options to repeat
 */
export function rejectOtherColumn(saved: Mapping, given: Mapping): void {
  for (const [field, column] of entriesOf(given.columns)) {
    const before = saved.columns?.[field];
    if (before === undefined || namesOf(before) === namesOf(column)) continue;
    const kept = keptTranslations(field, saved, given);
    const options = fieldOptions(kept).map(quoteForShell).join(' ');
    if (options === '') continue;
    const [now = ''] = [column].flat();
    const old = [before].flat().map(quote).join(', ');
    const repeat = fitsOptions(kept) ? `add ${options}` : `write ${quote(now)} into the mapping file`;
    throw new UsageError(
      `--map ${quoteForShell(`${field}=${now}`)}: the mapping file says what the values of another column mean: ${old}`,
      `If they mean the same in ${quote(now)}, ${repeat}. Otherwise, remove what the file says about ${field}.`,
    );
  }
}

/** Returns what the file says about the values of a field, without what the options say instead. */
function keptTranslations(field: MemberField, saved: Mapping, given: Mapping): Mapping {
  const replaced = new Set(Object.keys(given.values?.[field] ?? {}).map(comparableText));
  const values = Object.entries(saved.values?.[field] ?? {}).filter(([from]) => !replaced.has(comparableText(from)));
  return {
    lookups: given.lookups?.[field] === undefined ? { [field]: saved.lookups?.[field] } : {},
    values: { [field]: Object.fromEntries(values) },
    defaults: given.defaults?.[field] === undefined ? { [field]: saved.defaults?.[field] } : {},
  };
}

function namesOf(columns: string | readonly string[]): string {
  return JSON.stringify([columns].flat().map(comparableText).sort());
}
