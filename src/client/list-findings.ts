import { escapeJson } from '../output/sanitize.ts';
import { EXIT } from '../util/errors.ts';
import { isJsonObject } from '../util/json-object.ts';
import { headerOf } from './http/headers.ts';
import type { IncomingHeaders } from './http/transport.ts';
import { JsonArrayReader, type JsonElement } from './json/json-stream.ts';
import { JsonStructureError } from './json/list-locator.ts';
import { MAX_JSON_DEPTH, parseJson, parseShortNumbers } from './json/parse-json.ts';
import type { ServiceClient, StreamedResponse } from './service-client.ts';
import { ServiceError } from './service-error.ts';

/** A finding; its fields are not fixed (interface 2.5). */
export type Finding = Readonly<Record<string, unknown>>;

/** A finding as the service sent it; parsed only when its fields are needed. */
export class ListedFinding {
  readonly #element: JsonElement;

  constructor(element: JsonElement) {
    this.#element = element;
  }

  /** Parses the finding. An element that is not an object is returned as `{"value": …}`, so that nothing is lost. */
  get value(): Finding {
    const { bytes, isPlain, hasLongNumber } = this.#element;
    const text = bytes.toString(isPlain ? 'latin1' : 'utf8');
    const value = hasLongNumber ? parseJson(text) : parseShortNumbers(text);
    return isJsonObject(value) ? value : { value };
  }

  /** JSON text of an object with the members that `listFindings` was asked for. */
  get excerpt(): string {
    return this.#element.excerpt;
  }

  /**
   * The finding as one line of JSON, without the line break: the bytes that the service sent, with numbers and the order
   * of keys as they are. White space is removed where it holds line breaks, and control characters are escaped.
   */
  get json(): Buffer {
    const { bytes, isPlain } = this.#element;
    const text = isPlain ? bytes : Buffer.from(escapeJson(oneLine(bytes).toString()));
    return bytes[0] === OPENING_BRACE ? text : Buffer.concat([Buffer.from('{"value":'), text, Buffer.from('}')]);
  }
}

const [OPENING_BRACE, QUOTE, BACKSLASH, SPACE, LF, CR] = [0x7b, 0x22, 0x5c, 0x20, 0x0a, 0x0d];

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
   * `isPartial`: the response says that there are more.
   */
  onWarning?: (text: string, isPartial: boolean) => void;
}

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
  if (reader.top === undefined || reader.top === 'null') return;
  if (reader.top === 'object' && locator.listKey === undefined) {
    throw invalidListResponse(response, 'the object contains no list');
  }
  const more = detectPagination(locator.members, response.headers, listed);
  if (more !== undefined) {
    onWarning?.(`this may be only a part of the findings: the response lists ${listed}, and ${more}`, true);
  }
  if (locator.otherLists.length > 0) {
    onWarning?.(
      `the findings are those under ${locator.listKey}; there is a list under ${locator.otherLists} too`,
      false,
    );
  }
}

function invalidListResponse(response: StreamedResponse, reason: string): ServiceError {
  return new ServiceError(
    'invalid-response',
    EXIT.failure,
    `The response (${response.status}) does not contain a list of findings: ${reason}.`,
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
const MORE = /^(has_?(more|next)(_?page)?|more|is_?truncated|truncated)$/i;
const NEXT = /^next(_?(page|cursor|token|link|url|page_?token|offset))?$/i;

/**
 * Detects a list that is only one page: the interface has no pagination (8), but a service may have it. Reads totals and
 * next pages next to the list, also in objects there, and in the headers.
 *
 * @param members values next to the list, by dotted key
 * @param listed number of elements in the list
 * @returns the indication of more pages, for a sentence: `total is 58`
 */
export function detectPagination(
  members: ReadonlyMap<string, unknown>,
  headers: IncomingHeaders,
  listed: number,
): string | undefined {
  for (const [path, value] of fieldsOf(members)) {
    const name = path.slice(path.lastIndexOf('.') + 1);
    if (TOTALS.test(name) && Number(value) > listed) return `${path} is ${String(value)}`;
    if (MORE.test(name) && value === true) return `${path} is true`;
    if (NEXT.test(name) && isPageLink(value)) return `${path} is set`;
  }
  const total = headerOf(headers, 'x-total-count');
  if (Number(total) > listed) return `the header X-Total-Count is ${total}`;
  return /;\s*rel="?next"?/i.test(headerOf(headers, 'link') ?? '') ? 'the header Link names a next page' : undefined;
}

/** Yields the fields, and those of objects among them, by dotted name. */
function* fieldsOf(members: ReadonlyMap<string, unknown>): Generator<[string, unknown]> {
  for (const [key, value] of members) {
    yield [key, value];
    if (typeof value !== 'object' || value === null || Array.isArray(value)) continue;
    for (const [inner, field] of Object.entries(value)) yield [`${key}.${inner}`, field];
  }
}

/** Whether a value is a link, a cursor or a page number above 0. */
function isPageLink(value: unknown): boolean {
  if (typeof value === 'number') return value > 0;
  return (typeof value === 'string' && value !== '') || (typeof value === 'object' && value !== null);
}
