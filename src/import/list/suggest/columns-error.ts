import { UsageError } from '../../../util/errors.ts';
import { checkList } from '../check-list.ts';
import { findHeaderRow } from '../csv/header-row.ts';
import type { ListOptions } from '../list-options.ts';
import type { Misfit, PassResult } from '../list-pass.ts';
import type { ListReader } from '../list-reader.ts';
import { findStatusColumns, isAmbiguous, isContradicted, type StatusColumn } from '../status/status-columns.ts';
import { statusOfWord } from '../status/status-words.ts';
import { isLikelyName } from './likely-names.ts';
import { PLACEHOLDERS } from './placeholders.ts';
import { suggestMapping } from './suggest-mapping.ts';
import { leaveStatusOpen } from './suggest-status.ts';
import { applySuggestion, optionWords, type SuggestedMapping, type Suggestion } from './suggested-mapping.ts';

/** A list whose columns or keys do not fit the fields. */
export class ColumnsError extends UsageError {
  /** Options that would make the list readable. The user replaces the values in `<>`. */
  readonly suggestedOptions: readonly string[];

  constructor(message: string, hint: string | undefined, suggestedOptions: readonly string[]) {
    super(message, hint, 'bad-columns');
    this.suggestedOptions = suggestedOptions;
  }
}

/**
 * Returns the error for a list whose columns or keys do not fit the fields, with the options that make them fit.
 *
 * @param result the results of the pass that did not fit
 */
export async function columnsError(
  reader: ListReader,
  options: ListOptions,
  misfit: Misfit,
  result: PassResult,
): Promise<ColumnsError> {
  const { mapping, advice } = await suggestForList(reader, options, misfit, result);
  const [first = '', ...others] = misfit.lines;
  const { name } = reader.text;
  // "members.csv has no column for userId", but "members.csv: --map role=x: there is no such column".
  const start = /^(?:no|\d)/.test(first) ? `${name} has ${first}` : `${name}: ${first}`;
  const hint = advice.length === 0 ? undefined : advice.join('\n');
  return new ColumnsError([start, ...others].join('\n'), hint, mapping === undefined ? [] : optionWords(mapping));
}

/** Suggests options, also for a list with title lines before its header. */
async function suggestForList(
  reader: ListReader,
  options: ListOptions,
  misfit: Misfit,
  result: PassResult,
): Promise<SafeSuggestion> {
  const { text } = reader;
  const isNamed = options.headerRow !== undefined || options.columns !== undefined;
  const hasId = !misfit.missing.includes('userId') || result.unread.some(({ name }) => isLikelyName('userId', name));
  const headerRow = isNamed || hasId || !('columns' in result.layout) ? undefined : findHeaderRow(text);
  if (headerRow === undefined) return suggestFor(reader, options, result);
  const below: ListReader = { ...reader, text: { ...text, ...text.layoutWithHeader(headerRow) } };
  const given = { ...options, headerRow };
  const found = await suggestFor(below, given, (await checkList(below, given)).result);
  const mapping = found.mapping && { ...found.mapping, headerRow };
  return { mapping, advice: [`Line ${headerRow} looks like the header.`, ...found.advice] };
}

async function suggestFor(reader: ListReader, options: ListOptions, result: PassResult): Promise<SafeSuggestion> {
  const { misfit, rows, unread, present } = result;
  if (misfit === undefined) return { mapping: NO_OPTIONS, advice: [] };
  if (!misfit.isSuggestible) return { mapping: undefined, advice: [] };
  const { missing } = misfit;
  const suggestion = suggestMapping({ rows, unread, missing, present }, options);
  const isGuess = present.size === 0 && suggestion.mapping.map.get('userId')?.name === PLACEHOLDERS.column;
  const header = 'Is the first row a header? For a list without one, name its columns: --columns userId,role';
  return makeSafe(reader, options, isGuess ? { ...suggestion, advice: [header, ...suggestion.advice] } : suggestion);
}

const NO_OPTIONS: SuggestedMapping = {
  map: new Map(),
  statuses: new Map(),
  defaults: new Map(),
  ignoreExtraColumns: false,
};

/** A suggestion that is not more permissive than its list; the mapping is undefined if there is none. */
interface SafeSuggestion {
  readonly mapping: SuggestedMapping | undefined;
  readonly advice: readonly string[];
}

/** Lets the user choose the column that says who is active, if the suggested one contradicts another. */
async function makeSafe(reader: ListReader, options: ListOptions, suggestion: Suggestion): Promise<SafeSuggestion> {
  if (suggestion.mapping.map.get('isActive')?.name === PLACEHOLDERS.column) return suggestion;
  const contradicting = await findContradictions(reader, options, suggestion.mapping);
  return contradicting.length === 0 ? suggestion : leaveStatusOpen(suggestion, contradicting, options);
}

/**
 * Reads the list with suggested options. Returns the unread columns that contradict them: people count as active who are
 * not active by these columns. Unless the user has chosen the source of isActive, also returns columns that may contradict.
 */
async function findContradictions(
  reader: ListReader,
  options: ListOptions,
  mapping: SuggestedMapping,
): Promise<StatusColumn[]> {
  const { result } = await checkList(reader, applySuggestion(options, mapping));
  const isChosen = options.map.has('isActive') || options.defaults.has('isActive');
  return findStatusColumns(result.unread).filter(
    (status) => isContradicted(status) || (!isChosen && result.present.has('isActive') && isAmbiguous(status)),
  );
}

/** A list with more rejected values of isActive has another mistake. */
const MAX_TRANSLATIONS = 10;

/**
 * Returns --map-value options for rejected values of isActive, if one of them is a usual word for a status.
 *
 * @param rejected the texts as in the list
 */
export async function suggestTranslations(
  reader: ListReader,
  options: ListOptions,
  rejected: ReadonlySet<string>,
): Promise<readonly string[]> {
  const translated = options.valueMap.get('isActive');
  const open = [...rejected].filter((text) => translated?.has(text.toLowerCase()) !== true);
  // Of texts that differ in case, one is enough.
  const texts = [...new Map(open.map((text) => [text.toLowerCase(), text])).values()];
  const hasOtherMistake = texts.length > MAX_TRANSLATIONS || texts.some((text) => text.includes('='));
  if (hasOtherMistake || !texts.some((text) => statusOfWord(text) !== undefined)) return [];
  const statuses = new Map(
    texts.map((text) => {
      const status = statusOfWord(text);
      return [text, status === undefined ? PLACEHOLDERS.isActive : String(status === 'active')];
    }),
  );
  const mapping = { ...NO_OPTIONS, statuses };
  const contradicting = await findContradictions(reader, options, mapping);
  return contradicting.length === 0 ? optionWords(mapping) : [];
}
