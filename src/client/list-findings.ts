import { isJsonObject } from '../output/json.ts';
import { escapeJson } from '../output/sanitize.ts';
import { EXIT } from '../util/errors.ts';
import { headerOf } from './http/headers.ts';
import type { IncomingHeaders } from './http/transport.ts';
import { JsonArrayReader, type JsonElement } from './json/json-stream.ts';
import { JsonStructureError, LONG_VALUE } from './json/list-locator.ts';
import { MAX_JSON_DEPTH, parseJson, parseShortNumbers } from './json/parse-json.ts';
import type { ServiceClient, StreamedResponse } from './service-client.ts';
import { ServiceError } from './service-error.ts';

/** A finding; its fields are not fixed (interface 2.5). */
export type Finding = Readonly<Record<string, unknown>>;

/** A finding as the service sent it; parsed only when its fields are needed. */
export class ListedFinding {
  readonly element: JsonElement;

  constructor(element: JsonElement) {
    this.element = element;
  }

  /** Parses the finding. An element that is not an object is returned as `{"value": …}`, so that nothing is lost. */
  get value(): Finding {
    const { source, start, end, isPlain, hasLongNumber } = this.element;
    const text = source.toString(isPlain ? 'latin1' : 'utf8', start, end);
    const value = hasLongNumber ? parseJson(text) : parseShortNumbers(text);
    return isJsonObject(value) ? value : { value };
  }

  /** JSON text of an object with the members that `listFindings` was asked for. */
  get excerpt(): string {
    return this.element.excerpt;
  }
}

const [OPENING_BRACE, QUOTE, BACKSLASH, SPACE, LF, CR] = [0x7b, 0x22, 0x5c, 0x20, 0x0a, 0x0d];

/** The bytes of `source` from `start` up to `end`. */
type ByteRange = Pick<JsonElement, 'source' | 'start' | 'end'>;

/**
 * Renders each finding as one line of JSON: the bytes that the service sent, with numbers and the order of keys as they are.
 * White space is removed if it holds line breaks, and control characters are escaped.
 */
export function renderNdjson(findings: readonly ListedFinding[]): Buffer {
  const lines = findings.map(({ element }) => lineOf(element));
  const text = Buffer.allocUnsafe(lines.reduce((size, { start, end }) => size + end - start + 1, 0));
  let size = 0;
  let run: ByteRange[] = [];
  for (const [at, line] of lines.entries()) {
    run.push(line);
    const next = lines[at + 1];
    // Elements that are one byte apart have only a comma between them: they are copied together.
    if (next?.source === line.source && next.start === line.end + 1) continue;
    line.source.copy(text, size, run[0]?.start, line.end);
    for (const { start, end } of run) {
      size += end - start + 1;
      text[size - 1] = LF;
    }
    run = [];
  }
  return text;
}

function lineOf(element: JsonElement): ByteRange {
  const { isPlain } = element;
  const isObject = element.source[element.start] === OPENING_BRACE;
  if (isPlain && isObject) return element;
  const { bytes } = element;
  const text = isPlain ? bytes : Buffer.from(escapeJson(oneLine(bytes).toString()));
  const line = isObject ? text : Buffer.concat([Buffer.from('{"value":'), text, Buffer.from('}')]);
  return { source: line, start: 0, end: line.length };
}

/** Removes the white space of valid JSON if it holds line breaks. */
function oneLine(json: Buffer): Buffer {
  if (!json.includes(LF) && !json.includes(CR)) return json;
  const line = Buffer.allocUnsafe(json.length);
  let size = 0;
  let inString = false;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at] ?? 0;
    if (!inString && byte <= SPACE) continue;
    line[size++] = byte;
    if (byte === QUOTE) inString = !inString;
    else if (inString && byte === BACKSLASH) line[size++] = json[++at] ?? 0;
  }
  return line.subarray(0, size);
}

export interface ListFindingsOptions {
  /** Names of the members that `ListedFinding.excerpt` returns. */
  excerpt?: readonly string[];
  /**
   * Called after the last finding with each reason to doubt that these are all the findings that were requested.
   * `isPartial`: the response says that there are more, or has another list that may hold them.
   */
  onWarning?: (text: string, isPartial: boolean) => void;
}

const [NO_CONTENT, PARTIAL_CONTENT] = [204, 206] as const;
/** Upper bound on the size of one finding, in bytes. */
const MAX_FINDING_BYTES = 16 * 1024 * 1024;

/**
 * Lists findings (interface 4.4) while the response arrives, in groups that arrived together: a list of any size needs no
 * more memory than its largest finding. The response may be a bare array or an object that holds one; an empty or null
 * response is an empty list. Before an error is thrown, all findings before it are returned.
 *
 * @param selector the query parameter and its value; undefined sends none
 * @throws ServiceError, also while the list is read
 */
export async function* listFindings(
  client: ServiceClient,
  selector: { name: string; value: string } | undefined,
  { excerpt = [], onWarning }: ListFindingsOptions = {},
): AsyncGenerator<readonly ListedFinding[]> {
  const response = await client.stream({
    method: 'GET',
    path: ['v1', 'findings'],
    query: selector === undefined ? {} : { [selector.name]: selector.value },
    retry: 'safe',
  });
  const reader = new JsonArrayReader({
    maxElementBytes: MAX_FINDING_BYTES,
    maxDepth: MAX_JSON_DEPTH,
    members: excerpt,
  });
  const { locator } = reader;
  let listed = 0;
  try {
    for await (const chunk of response.chunks) {
      const elements: JsonElement[] = [];
      try {
        reader.push(chunk, elements);
      } finally {
        listed += elements.length;
        if (elements.length > 0) yield elements.map((element) => new ListedFinding(element));
      }
    }
    reader.end();
  } catch (error) {
    if (!(error instanceof JsonStructureError)) throw error;
    throw invalidListResponse(response, error.message);
  } finally {
    response.discard();
  }
  if (reader.top === undefined && response.status !== NO_CONTENT)
    onWarning?.('the response is empty; there may be findings that the service did not return', true);
  if (reader.top === 'object' && locator.listKey === undefined) {
    throw invalidListResponse(response, 'the object contains no list');
  }
  const { members, listKey, otherLists } = locator;
  const isPart = response.status === PARTIAL_CONTENT ? 'its status is 206' : undefined;
  const more = detectPagination(members, response.headers, listed) ?? isPart;
  if (more !== undefined) {
    onWarning?.(`this may be only a part of the findings: the response lists ${listed}, and ${more}`, true);
  }
  if (otherLists.length > 0) {
    onWarning?.(
      `the findings are those under ${listKey}; there is a list under ${listNames(otherLists)} too`,
      otherLists.some((path) => mayHoldFindings(members.get(path))),
    );
  }
}

function invalidListResponse(response: StreamedResponse, reason: string): ServiceError {
  return new ServiceError(
    'invalid-response',
    EXIT.failure,
    `the response (${response.status}) does not contain a list of findings: ${reason}`,
    {
      kind: 'invalid-response',
      processed: 'maybe',
      hint: 'Check that the base URL is that of the service and not of a web page.',
      status: response.status,
      requestId: response.requestId,
    },
  );
}

const TOTALS = /^(total|count|total_?(count|items|elements|results|records|hits))$/i;
const PAGES = /^(pages|(total|last|num)_?pages?|page_?count)$/i;
const MORE = /^(has_?(more|next)(_?page)?|more|is_?truncated|truncated|(is_?)?(partial|incomplete)(_?results)?)$/i;
const COMPLETE = /^(is_?)?(last(_?page)?|complete)$/i;
const NEXT = /^next(_?(page|cursor|token|link|url|page_?token|offset))?$/i;

/**
 * Detects a list that is only one page, or otherwise not complete: the interface has no pagination (8), but a service may
 * have it. Reads totals, pages, links and errors next to the list, also in objects there, and in the headers.
 *
 * @param members values next to the list, by dotted key
 * @param listed number of elements in the list
 * @returns the indication of more findings, for a sentence: `total is 58`
 */
export function detectPagination(
  members: ReadonlyMap<string, unknown>,
  headers: IncomingHeaders,
  listed: number,
): string | undefined {
  for (const [path, value] of fieldsOf(members)) {
    const name = path.slice(path.lastIndexOf('.') + 1);
    if (TOTALS.test(name) && Number(value) > listed) return `${path} is ${String(value)}`;
    if (PAGES.test(name) && Number(value) > 1) return `${path} is ${String(value)}`;
    if (MORE.test(name) && value === true) return `${path} is true`;
    if (COMPLETE.test(name) && value === false) return `${path} is false`;
    if (NEXT.test(name) && isPageLink(value)) return `${path} is set`;
    if (/^_?links$/i.test(name) && Array.isArray(value) && value.some(isNextLink)) return `${path} has a next page`;
    if (/^errors$/i.test(name) && isNotEmptyList(value)) return `${path} is not empty`;
  }
  return detectInHeaders(headers, listed);
}

function detectInHeaders(headers: IncomingHeaders, listed: number): string | undefined {
  for (const name of ['X-Total-Count', 'X-Total', 'X-Total-Pages', 'X-Next-Page']) {
    const value = headerOf(headers, name.toLowerCase());
    const known = name === 'X-Total-Pages' ? 1 : name === 'X-Next-Page' ? 0 : listed;
    if (Number(value) > known) return `the header ${name} is ${value}`;
  }
  const range = headerOf(headers, 'content-range') ?? '';
  if (Number(/\/\s*(\d+)\s*$/.exec(range)?.[1]) > listed) return `the header Content-Range is ${range}`;
  return /;\s*rel="?next"?/i.test(headerOf(headers, 'link') ?? '') ? 'the header Link names a next page' : undefined;
}

/** Objects next to the list are read up to this depth. */
const MAX_FIELD_DEPTH = 4;

/** Yields the fields, and those of objects among them, by dotted name. */
function* fieldsOf(fields: Iterable<readonly [string, unknown]>, depth = 1): Generator<readonly [string, unknown]> {
  for (const [path, value] of fields) {
    yield [path, value];
    if (!isJsonObject(value) || depth === MAX_FIELD_DEPTH) continue;
    const inner = Object.entries(value).map(([key, field]) => [`${path}.${key}`, field] as const);
    yield* fieldsOf(inner, depth + 1);
  }
}

/** Whether a value is a link, a cursor or a page number above 0. */
function isPageLink(value: unknown): boolean {
  if (typeof value === 'number') return value > 0;
  return (typeof value === 'string' && value !== '') || (typeof value === 'object' && value !== null);
}

/** Whether a value is `{"rel":"next","href":…}`. */
function isNextLink(value: unknown): boolean {
  return isJsonObject(value) && value.rel === 'next' && isPageLink(value.href);
}

function isNotEmptyList(value: unknown): boolean {
  return value === LONG_VALUE || (Array.isArray(value) && value.length > 0);
}

/** Names of lists in a warning, and their length. */
const [MAX_NAMES, MAX_NAME_LENGTH] = [5, 60] as const;

/** Renders `a, b and 3 more`. */
function listNames(paths: readonly string[]): string {
  const names = paths.slice(0, MAX_NAMES).map((path) => path.slice(0, MAX_NAME_LENGTH));
  const rest = paths.length - names.length;
  return `${names.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

/** Whether an array next to the list may be another list of findings. */
function mayHoldFindings(value: unknown): boolean {
  return !Array.isArray(value) || value.some(isJsonObject);
}
