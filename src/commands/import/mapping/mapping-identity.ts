import { createHash } from 'node:crypto';
import { entriesOf, type Mapping } from '../../../import/mapping.ts';
import { fieldForSpelling } from '../../../import/new-member.ts';
import { comparableText } from '../../../util/visible-text.ts';
import type { InvalidAction } from '../import-options.ts';

/**
 * Identifies what a run sends: SHA-256 of the bytes of its list and of everything that changes its members, as 64 hex digits.
 *
 * @param bytesDigest that of `Validation`
 * @param labelName what the service calls `deviceMgmtLabelId`
 */
export function runDigest(
  bytesDigest: string,
  { mapping, invalid, labelName }: { mapping: Mapping; invalid: InvalidAction; labelName: string },
): string {
  return createHash('sha256')
    .update(JSON.stringify([bytesDigest, listIdentity(mapping), labelName, invalid]))
    .digest('hex');
}

/** Returns what distinguishes two ways of reading a list, as JSON values in a fixed order. Ignored columns change no member. */
function listIdentity(mapping: Mapping): unknown {
  const { columns, lookups, values, defaults, omit, options } = mapping;
  const translations = entriesOf(values).map(([field, byText]) => [
    field,
    Object.fromEntries(Object.entries(byText).map(([from, to]) => [comparableText(from), to])),
  ]);
  // The content of a second list counts towards the digest of the bytes, wherever its file is.
  const secondLists = entriesOf(lookups).map(([field, { from, to }]) => [field, { from: from.trim(), to: to.trim() }]);
  // The order of several columns changes nothing.
  const sources = entriesOf(columns)
    // Such a column is read without an option, too.
    .filter(([field, names]) => typeof names !== 'string' || fieldForSpelling(names) !== field)
    .map(([field, names]): [string, string | string[]] => [
      field,
      // Options have no spaces at the ends of a name, which a key in JSON may have.
      typeof names === 'string' ? names.trim() : names.map((name) => name.trim()).toSorted(),
    ]);
  return canonical({
    columns: Object.fromEntries(sources),
    lookups: Object.fromEntries(secondLists),
    values: Object.fromEntries(translations),
    defaults,
    omit: omit?.toSorted(),
    options,
  });
}

/** Sorts the keys of objects, and leaves out those without a value: undefined, false, or an empty object or array. */
function canonical(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const members = Object.entries(value).map(([key, inner]): [string, unknown] => [key, canonical(inner)]);
  const filled = members.filter(([, inner]) => inner !== undefined && inner !== false && !isEmpty(inner));
  return Object.fromEntries(filled.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
