import { isUtf8 } from 'node:buffer';
import { escapeJson } from './sanitize.ts';

/**
 * Replaces secrets in a text by `***`. It also finds what the escapes of JSON hide, in JSON within JSON, too: it decodes them until
 * nothing changes. JSON remains JSON: only strings with a secret are written anew.
 */
export type Redact = (text: string) => string;

/** Replaces a secret. */
export const MASK = '***';

/** Shorter secrets are replaced only as separate words, because they may occur in other words by chance. */
export const SHORT_SECRET = 8;

const JSON_STRING = /"(?:[^"\\]|\\.)*"/g;

/** An escape of JSON for a printable ASCII character, whose backslash may be escaped as `\u005c`, also several times. */
const JSON_ESCAPE = /\\(?:(?:u005c)*u00([2-7][0-9a-f])|(["\\/]))/gi;

/** JSON within JSON doubles its escapes at each level, so a response cannot have more levels. */
const MAX_LEVELS = 20;

/**
 * Creates the redactor for secrets, which are not empty. It finds each of them as it is, as libraries for
 * percent-encoding and HTML write it, in base64, and in hexadecimal.
 */
export function createRedactor(secrets: readonly string[]): Redact {
  const pattern = new RegExp(secrets.map(secretPattern).join('|'), 'g');
  const mask = (text: string) => text.replace(pattern, MASK);
  // Most texts have escapes, but few of them can hide a secret. The test takes a tenth of the time that decoding takes.
  const escaped = ['"', '\\', '/'].filter((character) => secrets.flatMap(formsOf).join('').includes(character));
  const hiding = new RegExp(`\\\\(?:u00[2-7]${escaped.map((character) => `|\\${character}`).join('')})`, 'i');
  const cleanString = (token: string) => {
    const text: string = JSON.parse(token);
    const clean = redact(text);
    return clean === text ? token : escapeJson(JSON.stringify(clean));
  };

  /** Whether a secret appears once the escapes are decoded, at any level. */
  const isHidden = (text: string): boolean => {
    let inner = text;
    for (let level = 1; level <= MAX_LEVELS && hiding.test(inner); level++) {
      inner = decodeJsonEscapes(inner);
      if (inner.search(pattern) >= 0) return true;
    }
    return false;
  };
  const redact = (text: string): string => {
    let clean = mask(text);
    if (clean === text && !isHidden(text)) return text;
    if (isJsonDocument(text)) return text.replace(JSON_STRING, cleanString);
    while (isHidden(clean)) clean = mask(decodeJsonEscapes(clean));
    return clean;
  };
  return redact;
}

/** Redacts the body of a response. If it is not UTF-8, only secrets in ASCII are found. */
export function redactBytes(bytes: Buffer, redact: Redact): Buffer {
  const encoding = isUtf8(bytes) ? 'utf8' : 'latin1';
  const text = bytes.toString(encoding);
  const clean = redact(text);
  return clean === text ? bytes : Buffer.from(clean, encoding);
}

function decodeJsonEscapes(text: string): string {
  return text.replace(JSON_ESCAPE, (_, hex: string | undefined, character: string) =>
    hex === undefined ? character : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

/** Whether a text is a JSON document that can hold a string. */
function isJsonDocument(text: string): boolean {
  if (!/^\s*["[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Returns the ways to write a secret with other characters than its own. */
function formsOf(secret: string): readonly string[] {
  return secret.length < SHORT_SECRET ? [secret] : [secret, ...base64Forms(secret), ...hexForms(secret)];
}

function secretPattern(secret: string): string {
  const pattern = formsOf(secret).map(spelledPattern).join('|');
  return secret.length < SHORT_SECRET ? `(?<!\\w)${pattern}(?!\\w)` : pattern;
}

/** Returns the base64 of the secret at each of three offsets in a longer text, without characters that depend on it. */
function base64Forms(secret: string): string[] {
  const size = Buffer.byteLength(secret);
  return [0, 1, 2].flatMap((offset) => {
    const text = Buffer.from('\0'.repeat(offset) + secret).toString('base64');
    const form = text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + size) * 8) / 6));
    return [...new Set([form, form.replaceAll('+', '-').replaceAll('/', '_')])];
  });
}

function hexForms(secret: string): string[] {
  const hex = Buffer.from(secret).toString('hex');
  return [...new Set([hex, hex.toUpperCase()])];
}

/** Returns a pattern of a text as it is, and as libraries for percent-encoding and HTML write it. */
function spelledPattern(text: string): string {
  return Array.from(text, spellingsOf).join('');
}

/** Characters that have a name in XML. */
const ENTITIES: Readonly<Record<string, string>> = { '"': 'quot', '&': 'amp', "'": 'apos', '<': 'lt', '>': 'gt' };

/** Returns a pattern of the ways to write one character: itself, `%22`, `&#34;`, `&#x22;`, and `&quot;`. */
function spellingsOf(character: string): string {
  // No library writes these in another way.
  if (/[\w-]/.test(character)) return character;
  const code = character.charCodeAt(0);
  const percent = Array.from(Buffer.from(character), (byte) => `%${hexPattern(byte)}`).join('');
  const self = character.replace(/[\\^$.*+?()[\]{}|/]/, '\\$&');
  const names = ENTITIES[character] === undefined ? '' : `|${ENTITIES[character]}`;
  return `(?:${self}|${percent}|&(?:#0*${code}|#[xX]0*${hexPattern(code)}${names});)`;
}

function hexPattern(code: number): string {
  return code.toString(16).replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}
