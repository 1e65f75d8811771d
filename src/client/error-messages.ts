import { isJsonObject, type JsonObject } from '../util/json-object.ts';

/**
 * Upper bounds on the number and length of a service's messages. A batch of 1,000 entries can have several for each field
 * of each entry; a row whose messages are dropped would count as not named.
 */
export const MAX_MESSAGES = 50_000;
export const MAX_MESSAGE_LENGTH = 1_000;
/** Upper bound on the field name before a message. */
const MAX_PLACE_LENGTH = 200;

export interface ExtractedError {
  /** The service's own messages (untrusted), bounded in number and length. */
  messages: string[];
  /** The service's own error code, if it sent one. */
  code?: string;
}

/**
 * Extracts the messages of an error response: `message` (text or list), problem+json (`title`, `detail`), `error` as text or
 * object, `errors` and similar keys as a list or a map, a bare string, the title of an HTML page. Never throws; a body
 * without any of these has no messages.
 */
export function extractErrorMessages(status: number, contentType: string | undefined, text: string): ExtractedError {
  const trimmed = text.trim();
  if (trimmed === '') return { messages: [] };
  const body = tryJson(trimmed);
  if (/^<(!doctype|html|head|body|\?xml)/i.test(trimmed) || (body === undefined && /html/i.test(contentType ?? '')))
    return bounded(htmlTitle(trimmed));
  // The plain text of a gateway, or truncated JSON.
  if (body === undefined) return bounded([trimmed]);
  const code = codeOf(body, status);
  return { ...bounded(collectMessages(body, 0)), ...(code ? { code } : {}) };
}

/** Fields that hold a message, the most specific first. */
const MESSAGE_FIELDS = ['message', 'detail', 'error_description', 'description', 'title', 'msg', 'reason'] as const;
/** Fields that hold a list or a map of further messages. */
const LIST_FIELDS = ['errors', 'issues', 'violations', 'details'] as const;
const MAX_DEPTH = 4;

function collectMessages(value: unknown, depth: number): string[] {
  if (typeof value === 'string') return value.trim() === '' ? [] : [value.trim()];
  if (depth > MAX_DEPTH) return [];
  if (Array.isArray(value)) return value.slice(0, MAX_MESSAGES).flatMap((item) => collectMessages(item, depth + 1));
  if (!isJsonObject(value)) return [];
  const own = firstNonEmpty(
    MESSAGE_FIELDS.map((field) => value[field]),
    depth,
  );
  const listed = LIST_FIELDS.flatMap((field) => listedMessages(value[field], depth));
  if (own.length + listed.length > 0) {
    const texts = withTitle(value, own);
    return [...(depth === 0 ? texts : withLocation(value, texts)), ...listed];
  }
  return collectMessages(value.error, depth + 1);
}

/** Fields that hold the location of a message: `["members", 3, "role"]`, `members[3].role`. */
const LOCATION_FIELDS = ['loc', 'path', 'instancePath', 'field', 'property', 'param', 'pointer'] as const;

/** Prefixes messages with their location, unless they contain it. */
function withLocation(item: JsonObject, texts: readonly string[]): string[] {
  const source = isJsonObject(item.source) ? item.source : {};
  const url = typeof item.path === 'string' && item.path.startsWith('/');
  const fields = LOCATION_FIELDS.filter((field) => field !== 'path' || !url);
  const location = [...fields.map((field) => item[field]), source.pointer].map(locationText).find(Boolean);
  return texts.map((text) => (location === undefined || text.includes(location) ? text : `${location}: ${text}`));
}

function locationText(location: unknown): string | undefined {
  const parts = Array.isArray(location) ? location : [location];
  const isPath = parts.every((part) => typeof part === 'number' || (typeof part === 'string' && part !== ''));
  return isPath && parts.length > 0 ? parts.join('.').slice(0, MAX_PLACE_LENGTH) : undefined;
}

function firstNonEmpty(values: readonly unknown[], depth: number): string[] {
  for (const value of values) {
    const found = collectMessages(value, depth + 1);
    if (found.length > 0) return found;
  }
  return [];
}

/** Collects messages from a list of anything, or a map from fields to messages. */
function listedMessages(errors: unknown, depth: number): string[] {
  if (!isJsonObject(errors)) return collectMessages(errors, depth + 1);
  const own = collectMessages(errors, depth + 1);
  if (own.length > 0) return own;
  return Object.entries(errors)
    .slice(0, MAX_MESSAGES)
    .flatMap(([field, value]) =>
      collectMessages(value, depth + 1).map((texts) => `${field.slice(0, MAX_PLACE_LENGTH)}: ${texts}`),
    );
}

/** Prefixes the detail of problem+json with its title. */
function withTitle(body: JsonObject, messages: string[]): string[] {
  const { title, detail } = body;
  if (typeof title !== 'string' || typeof detail !== 'string' || title.trim() === '' || title === detail)
    return messages;
  return messages[0] === detail.trim() ? [`${title.trim()}: ${messages[0]}`, ...messages.slice(1)] : messages;
}

function codeOf(body: unknown, status: number): string | undefined {
  if (!isJsonObject(body)) return undefined;
  const inner = isJsonObject(body.error) ? body.error : {};
  const code = [body.code, inner.code, inner.type].find((one) => typeof one === 'string' || typeof one === 'number');
  return code === undefined || code === status ? undefined : String(code).slice(0, 100);
}

function htmlTitle(page: string): string[] {
  const title = /<title[^>]*>([^<]*)/i.exec(page.slice(0, 20_000))?.[1]?.replace(/\s+/g, ' ').trim();
  return title ? [title] : [];
}

function bounded(messages: readonly string[]): ExtractedError {
  const kept = messages.slice(0, MAX_MESSAGES);
  return {
    messages: kept.map((one) => (one.length > MAX_MESSAGE_LENGTH ? `${one.slice(0, MAX_MESSAGE_LENGTH)}…` : one)),
  };
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
