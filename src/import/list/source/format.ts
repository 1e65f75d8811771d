import { isJsonObject } from '../../../util/json/json-object.ts';
import { JsonScanError, ListScanner } from '../../../util/json/list-scanner.ts';
import { type FileOptions, LIST_FORMATS, type ListFormat, type Mapping, sourcesOf } from '../../mapping.ts';
import { fieldForSpelling, MEMBER_FIELDS } from '../../new-member.ts';
import { MAX_ROW_LENGTH } from './limits.ts';

/**
 * The place of the elements in a JSON text: in its array, which may be under a key (`array`), or one after another without
 * anything around them, as in NDJSON and in the output of jq (`values`).
 */
export type JsonShape = 'array' | 'values';

/** The format of a list's text. */
export interface TextLayout {
  readonly format: ListFormat;
  /** The delimiter of a CSV list. */
  readonly delimiter: string;
  /** Physical lines before the header of a CSV list. */
  readonly skipLines: number;
  /** Where the elements of a JSON list are. */
  readonly shape: JsonShape;
}

/**
 * Detects the layout of a list. Its content decides between JSON and CSV, and its name between the kinds of each.
 *
 * @param head the beginning of the list
 */
export function detectLayout(head: string, name: string, mapping: Mapping): TextLayout {
  const { options = {} } = mapping;
  const byName = options.format ?? formatByName(name);
  const isJson = options.format === undefined ? startsAsJson(head, byName) : /json$/.test(options.format);
  if (!isJson) {
    const format = byName === 'tsv' ? 'tsv' : 'csv';
    return { format, ...detectCsv(head, format, options), shape: 'array' };
  }
  const shape = jsonShape(head, byName, mapping);
  const format = options.format ?? (shape === 'array' || byName === 'json' ? 'json' : 'ndjson');
  return { format, delimiter: ',', skipLines: 0, shape };
}

/** Returns the format that a file's name shows; `.gz` is ignored. */
export function formatByName(name: string): ListFormat | undefined {
  const extension = /\.([a-z]+)(?:\.gz)?$/i.exec(name)?.[1]?.toLowerCase();
  if (extension === 'tab') return 'tsv';
  if (extension === 'jsonl') return 'ndjson';
  return LIST_FORMATS.find((format) => format === extension);
}

/**
 * Whether text begins with an object or an array as JSON, Python, or JavaScript have them. The header of a CSV list hardly ever
 * has a bracket.
 */
function startsAsJson(head: string, byName: ListFormat | undefined): boolean {
  const isNamedJson = byName === 'json' || byName === 'ndjson';
  return isNamedJson
    ? /^\s*[[{]/.test(head)
    : /^\s*(?:\[\s*(?:[\]{["']|$)|\{\s*(?:["'}]|[a-z_]\w*\s*:\s|$))/i.test(head);
}

/**
 * Returns where the elements of a JSON text are: one after another if it begins with an object that is a member, and not with a
 * page, which holds an array under a usual key.
 */
function jsonShape(head: string, byName: ListFormat | undefined, mapping: Mapping): JsonShape {
  const { format, records } = mapping.options ?? {};
  if (format === 'ndjson') return 'values';
  if (records !== undefined || !head.trimStart().startsWith('{')) return 'array';
  const [first, second] = scan(head, { shape: 'values' }).values;
  const keys = keysOf(first ?? '');
  if (!keys.some(userIdKey(mapping)) && scan(first ?? head, {}).hasList) return 'array';
  if (byName === 'ndjson') return 'values';
  if (first === undefined) return 'array';
  if (second !== undefined) return 'values';
  const sources = MEMBER_FIELDS.flatMap((field) => sourcesOf(mapping, field));
  const names = new Set(sources.map(({ name }) => name.split('.')[0]?.toLowerCase()));
  const isMember = (key: string) => fieldForSpelling(key) !== undefined || names.has(key.toLowerCase());
  return keys.some(isMember) ? 'values' : 'array';
}

/** Returns whether a key of an object has the user ID, or the object that has it. */
export function userIdKey(mapping: Mapping): (key: string) => boolean {
  const named = sourcesOf(mapping, 'userId')[0]?.name.split('.')[0]?.toLowerCase();
  return (key) => fieldForSpelling(key) === 'userId' || key.toLowerCase() === named;
}

/** Scans the beginning of a JSON text: returns its first elements, and whether it has a list. */
function scan(head: string, options: { shape?: JsonShape }): { values: string[]; hasList: boolean } {
  const scanner = new ListScanner({ ...options, maxElementBytes: MAX_ROW_LENGTH });
  const values: string[] = [];
  try {
    for (const { bytes } of scanner.push(Buffer.from(head))) if (values.push(bytes.toString()) === 2) break;
  } catch (error) {
    if (!(error instanceof JsonScanError)) throw error;
  }
  return { values, hasList: scanner.listPath !== undefined };
}

function keysOf(json: string): string[] {
  try {
    const value: unknown = JSON.parse(json);
    return isJsonObject(value) ? Object.keys(value) : [];
  } catch {
    return [];
  }
}

/**
 * Returns how many lines come before the header of a CSV list, and its delimiter. The first line may not be part of the
 * table: `sep=;` as Excel has it, `#TYPE …` as PowerShell writes it, `ListSchema={…}` as SharePoint does.
 */
function detectCsv(head: string, format: ListFormat, { delimiter, headerRow }: FileOptions) {
  const [, separator] = /^"?sep=(.)"?[\r\n]/i.exec(head) ?? [];
  const isTypeLine = /^(?:#TYPE\s|ListSchema=)[^\r\n]*[\r\n]/i.test(head);
  const skipLines = headerRow === undefined ? (separator !== undefined || isTypeLine ? 1 : 0) : headerRow - 1;
  const skipped = new RegExp(`^(?:[^\\r\\n]*(?:\\r\\n|\\r|\\n)){0,${skipLines}}`);
  const given = delimiter === 'tab' || delimiter === '\\t' ? '\t' : delimiter;
  const named = given ?? (format === 'tsv' ? '\t' : separator);
  return { skipLines, delimiter: named ?? detectDelimiter(head.replace(skipped, '')) };
}

/** The delimiters of CSV lists that orgadm detects. */
export const DETECTED_DELIMITERS = [',', ';', '\t', '|'] as const;

/** Returns the delimiter that is most frequent outside quotes in the first record; a comma if none is there. */
function detectDelimiter(head: string): string {
  const counts = new Map<string, number>(DETECTED_DELIMITERS.map((delimiter) => [delimiter, 0]));
  let quoted = false;
  let begun = false;
  for (const character of head) {
    if (character === '"') quoted = !quoted;
    if (quoted) continue;
    if (character === '\n' || character === '\r') {
      if (begun) break;
      continue;
    }
    const count = counts.get(character);
    if (count !== undefined) counts.set(character, count + 1);
    else if (character !== ' ') begun = true;
  }
  const most = Math.max(...counts.values());
  return DETECTED_DELIMITERS.find((delimiter) => counts.get(delimiter) === most) ?? ',';
}
