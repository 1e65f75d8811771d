import { Readable } from 'node:stream';
import { quoteAll } from '../../output/sanitize.ts';
import { UsageError } from '../../util/errors.ts';
import { type ListOptions, type LookupSource, NO_LIST_OPTIONS } from '../list-options.ts';
import type { ListRow } from '../list-row.ts';
import { type LoadedLookup, normalizeText } from './lookup-table.ts';
import { type PassResult, readRows } from './read-rows.ts';
import { MAX_ROWS, tooManyRows } from './source/list-limits.ts';
import { readListText, withListName } from './source/list-text.ts';

/**
 * Reads a second list, in any format that a list may have.
 *
 * @throws UsageError if it cannot be read, or does not have the columns
 */
export async function loadLookup(source: LookupSource): Promise<LoadedLookup> {
  const options = optionsFor(source);
  const text = await readListText({ path: source.file, stdin: Readable.from([]) }, options);
  const texts = new Map<string, string | undefined>();
  const rows = readRows({ text, lookups: new Map() }, options, { isFirstPass: false, mayBeIds: true });
  for (let next = await rows.next(); ; next = await rows.next()) {
    if (next.done) {
      if (next.value.problems.length > 0) throw withListName(text.name, lookupColumnsError(next.value));
      return { source, digest: text.digest, texts };
    }
    for (const row of next.value) addText(texts, row);
    if (texts.size > MAX_ROWS) throw tooManyRows(text.name);
  }
}

/** Returns options that read one column as `userId` and the other one as `role`; orgadm detects the rest. */
function optionsFor({ from, to }: LookupSource): ListOptions {
  return {
    ...NO_LIST_OPTIONS,
    map: new Map([
      ['userId', { name: from, isInverted: false }],
      ['role', { name: to, isInverted: false }],
    ]),
    omit: new Set(['department', 'isActive', 'deviceMgmtLabelId']),
    ignoreExtraColumns: true,
  };
}

function addText(texts: Map<string, string | undefined>, { userId, value }: ListRow): void {
  if (userId === undefined) return;
  const key = normalizeText(userId);
  const to = value?.role ?? '';
  const known = texts.get(key);
  const isKnown = texts.has(key) && known !== '';
  if (isKnown && to === '') return;
  texts.set(key, isKnown && known !== to ? undefined : to);
}

/** Returns the error for a second list without the columns of --lookup. */
function lookupColumnsError({ problems, layout }: PassResult): UsageError {
  // The user has named the columns with --lookup, not with --map.
  const columns = 'header' in layout ? [`columns: ${quoteAll(layout.header)}`] : [];
  const message = [...problems, ...columns].join('\n').replace(/--map (?:userId|role)=/g, '');
  return new UsageError(message, 'Correct the column names in --lookup.', 'bad-columns');
}
