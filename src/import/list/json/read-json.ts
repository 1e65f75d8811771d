import { JsonScanError, ListScanner } from '../../../util/json/list-scanner.ts';
import { CHUNK_BYTES, type ListPass, type PassSetup } from '../list-pass.ts';
import { emptyListError, MAX_ROW_LENGTH } from '../list-row.ts';
import { JsonEntries } from './json-entries.ts';
import { describeMore, listNotFoundError, rejectSecondList } from './list-place.ts';
import { notJsonError } from './parse-element.ts';

/**
 * Reads a JSON or NDJSON list. If its keys do not fit the fields, returns why, after the last row.
 *
 * @throws UsageError with the line of what is not JSON, and for text without a list
 */
export function* readJson(setup: PassSetup): ListPass {
  const { utf8, options, shape } = setup;
  const scanner = new ListScanner({ shape, records: options.records, maxElementBytes: MAX_ROW_LENGTH });
  const entries = new JsonEntries(setup);
  try {
    for (let start = 0; start < utf8.length; start += CHUNK_BYTES)
      yield Array.from(scanner.push(utf8.subarray(start, start + CHUNK_BYTES)), (element) => entries.read(element));
    yield Array.from(scanner.end(), (element) => entries.read(element));
  } catch (error) {
    throw error instanceof JsonScanError ? notJsonError(error) : error;
  }
  if (scanner.documents === 0) throw emptyListError();
  if (scanner.listPath === undefined) throw listNotFoundError(utf8, options.records);
  rejectSecondList(scanner, options.records);
  return entries.result(describeMore(scanner.members, entries.count));
}
