import { JsonScanError, ListScanner } from '../../../util/json/list-scanner.ts';
import type { ListPass, PassSetup } from '../list-pass.ts';
import { emptyListError, MAX_ROW_LENGTH } from '../list-row.ts';
import { JsonEntries } from './json-entries.ts';
import { describeMore, listNotFoundError, rejectSecondList } from './list-place.ts';
import { notJsonError } from './parse-element.ts';

/** Characters of a text without a list that are searched for arrays under other keys. */
const SEARCHED_CHARACTERS = 16 * 1024 ** 2;

/**
 * Reads a JSON or NDJSON list. If its keys do not fit the fields, returns why, after the last row.
 *
 * @throws UsageError with the line of what is not JSON, and for text without a list
 */
export function* readJson(texts: Iterable<string>, setup: PassSetup): ListPass {
  const { options, shape } = setup;
  const scanner = new ListScanner({ shape, records: options.records, maxElementBytes: MAX_ROW_LENGTH });
  const entries = new JsonEntries(setup);
  let searched = '';
  try {
    for (const text of texts) {
      yield Array.from(scanner.push(Buffer.from(text)), (element) => entries.read(element));
      if (scanner.listPath === undefined && searched.length < SEARCHED_CHARACTERS) searched += text;
    }
    yield Array.from(scanner.end(), (element) => entries.read(element));
  } catch (error) {
    throw error instanceof JsonScanError ? notJsonError(error) : error;
  }
  if (scanner.documents === 0) throw emptyListError();
  if (scanner.listPath === undefined) throw listNotFoundError(searched, options.records);
  rejectSecondList(scanner, options.records);
  return entries.result(describeMore(scanner.members, entries.count));
}
