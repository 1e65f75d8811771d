import type { Redact } from '../output/redact.ts';
import { isJsonObject, type JsonObject } from '../util/json/json-object.ts';

/** Upper bound on the length of one message, in characters. */
const MAX_MESSAGE_LENGTH = 1_000;

/**
 * Extracts the service's own messages (untrusted) from the body of an error response: `message` (text or list), problem+json
 * (`title`, `detail`), `error` (text, or an object with any of these), and `errors`; a bare string; the title of an HTML page.
 * Any other body is one message, as it arrived. Each message has at most 1,000 characters. Never throws.
 *
 * @param redact removes the key before a message is cut
 */
export function extractErrorMessages(text: string, redact: Redact = (message) => message): string[] {
  const trimmed = text.trim();
  return (trimmed.startsWith('<') ? htmlTitle(trimmed) : messagesIn(trimmed))
    .map(redact)
    .map((one) => (one.length > MAX_MESSAGE_LENGTH ? `${one.slice(0, MAX_MESSAGE_LENGTH)}…` : one));
}

function messagesIn(text: string): string[] {
  let found: string[] = [];
  try {
    found = errorMessages(JSON.parse(text));
  } catch {
    // Plain text, truncated JSON, or JSON that is nested too deeply.
  }
  // An empty object says nothing.
  return found.length > 0 || /^\{\s*\}$/.test(text) ? found : plainTexts(text);
}

function errorMessages(body: unknown): string[] {
  if (!isJsonObject(body)) return plainTexts(body);
  const { error, errors } = body;
  const described = [describedIn(body), isJsonObject(error) ? describedIn(error) : plainTexts(error)];
  return [...(described.find(({ length }) => length > 0) ?? []), ...plainTexts(errors)];
}

/** Returns the texts of `message`, else of `title` and `detail`. */
function describedIn({ message, title, detail }: JsonObject): string[] {
  const texts = plainTexts(message);
  const problem = [title, detail].flatMap(plainTexts).join(': ');
  return texts.length > 0 || problem === '' ? texts : [problem];
}

/** Returns a text, or the elements of a list. Of anything else, returns its JSON. */
function plainTexts(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(plainTexts);
  if (typeof value === 'string') return value.trim() === '' ? [] : [value.trim()];
  return isJsonObject(value) ? [JSON.stringify(value)] : [];
}

function htmlTitle(page: string): string[] {
  const title = /<title[^>]*>([^<]*)/i.exec(page.slice(0, 20_000))?.[1]?.replace(/\s+/g, ' ').trim();
  return title ? [title] : [];
}
