import { quote, quoteForShell } from '../../../output/sanitize.ts';
import { HIDDEN_CHARACTER, showHidden, withoutHidden } from '../../../util/hidden-characters.ts';
import { suggest } from '../../../util/suggest.ts';
import { comparableText, sendableText } from '../../../util/visible-text.ts';
import { isInversion } from '../../mapping.ts';
import { fieldForSpelling, isForbiddenKey, normalizeSpelling, suggestField } from '../../new-member.ts';
import type { BoundField } from '../fields/field-value.ts';
import { type Binder, type Binding, type FieldRead, placeAt } from './binder.ts';

/** Finds the fields in the keys of a record: those that the mapping names, then those that a key spells. */
export function bindKeys(keys: readonly string[], fields: readonly BoundField[], binder: Binder): Binding {
  const { reads, problems } = bindWanted(keys, fields, binder);
  const used = new Set(reads.map(({ path }) => path));
  const unread: number[] = [];
  for (const [at, name] of keys.entries()) {
    if (used.has(at) || binder.isReportColumn(keys, at)) continue;
    const place = placeAt(keys, at);
    if (isDisguised(place.column, fields)) {
      const shown = `${binder.noun} ${quote(showHidden(place.column))}`;
      problems.push(`${shown} has a hidden character in its name (${binder.describeCleanup(place)})`);
      continue;
    }
    if (isForbiddenKey(name)) {
      problems.push(`${binder.noun} ${quote(name)} has a name that orgadm cannot use (rename or remove it)`);
      continue;
    }
    const spelled = fieldForSpelling(name);
    const field = fields.find((one) => one.name === spelled && !one.isOmitted && one.wanted === undefined);
    const earlier = reads.find((read) => read.field === field);
    if (field === undefined) unread.push(at);
    else if (earlier === undefined) reads.push({ ...place, field });
    else {
      const both = `${binder.shownName(earlier)} and ${binder.shownName(place)} are both ${field.name}`;
      const map = quoteForShell(`${field.name}=${binder.distinctName(earlier)}`);
      const choice = `--map ${map} --ignore-extra-columns`;
      problems.push(`${both} (pick one with ${choice})`);
    }
  }
  return { names: binder.namesOf(keys), reads, unread, problems };
}

/** Finds the places that the mapping names. */
function bindWanted(
  keys: readonly string[],
  fields: readonly BoundField[],
  binder: Binder,
): { reads: FieldRead[]; problems: string[] } {
  const reads: FieldRead[] = [];
  const problems: string[] = [];
  for (const field of fields) {
    const { wanted } = field;
    if (wanted === undefined) continue;
    const named = field.isInverted ? keys.findIndex((key) => isNamedAsInverted(key, wanted)) : -1;
    if (named >= 0) {
      const place = placeAt(keys, named);
      const name = `${binder.shownName(place)} begins with "!", which inverts a ${binder.noun}`;
      problems.push(`${renderMap(field)}: ${name} (${binder.describeCleanup(place)})`);
      continue;
    }
    const [place, second] = binder.find(wanted, keys);
    if (place === undefined) {
      if (binder.hasSameKeys) problems.push(describeMissing(field, keys, binder));
      continue;
    }
    const isNamed = typeof place.path === 'number' && normalizeSpelling(place.column) === normalizeSpelling(wanted);
    // Its own problem is reported with those of the other keys. A number chooses a column whatever its name.
    if (isNamed && isDisguised(place.column, fields)) continue;
    if (second === undefined) reads.push({ ...place, field });
    else problems.push(`${renderMap(field)}: ${binder.describeAmbiguity(place, second)}`);
  }
  return { reads, problems };
}

/** Whether a name is what the mapping has for the opposite of another one: nobody can say which of them is meant. */
function isNamedAsInverted(name: string, wanted: string): boolean {
  const text = sendableText(name);
  return isInversion(text) && normalizeSpelling(text.slice(1)) === normalizeSpelling(wanted);
}

/** Whether a name has hidden characters, and would be, or misspell, a field or a name in the mapping without them. */
function isDisguised(name: string, fields: readonly BoundField[]): boolean {
  if (!HIDDEN_CHARACTER.test(name)) return false;
  const seen = withoutHidden(name);
  if (fieldForSpelling(seen) !== undefined || suggestField(seen) !== undefined) return true;
  return fields.some(
    ({ wanted = '' }) => wanted !== '' && normalizeSpelling(withoutHidden(wanted)) === normalizeSpelling(seen),
  );
}

/**
 * Returns the problems with names in a mapping that none of the records has had.
 *
 * @param names those that the list has
 */
export function missingFields(fields: readonly BoundField[], names: readonly string[], binder: Binder): string[] {
  // Otherwise, `bindKeys` has reported them.
  if (binder.hasSameKeys) return [];
  const unfound = fields.filter(({ wanted, column }) => wanted !== undefined && column === undefined);
  return unfound.map((field) => describeMissing(field, names, binder));
}

function describeMissing(field: BoundField, names: readonly string[], { missing }: Binder): string {
  const { wanted = '' } = field;
  // A name that looks the same as the one that was not found helps nobody.
  const near = suggest(
    wanted,
    names
      .map(sendableText)
      .filter((name) => comparableText(withoutHidden(name)) !== comparableText(withoutHidden(wanted))),
  );
  return `${renderMap(field)}: ${missing}${near === undefined ? '' : ` (did you mean ${quote(showHidden(near))}?)`}`;
}

/** Renders the option that names the column or key of a field: `--map isActive=!Suspended`. */
function renderMap({ name, wanted = '', isInverted }: BoundField): string {
  return `--map ${name}=${isInverted ? '!' : ''}${sendableText(wanted)}`;
}
