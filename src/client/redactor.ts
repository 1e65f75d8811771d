/** Replaces a secret in a text by `***`. */
export type Redact = (text: string) => string;

export interface Redactor {
  readonly redact: Redact;
  /** Redacts a stream of UTF-8 bytes in constant memory, also if a chunk ends within the secret. */
  stream(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer>;
}

/** Replaces a secret. */
export const MASK = '***';

/** Shorter secrets are replaced only as separate words, because they may occur in other words by chance. */
export const SHORT_SECRET = 8;

/** Upper bounds on the length of one escaped character, and on what is read around a match. */
const [LONGEST_ESCAPE, CONTEXT] = [24, 4];

/** Characters of the secret after which a text that was cut off is cut. */
const BEGINNING = 3;

/**
 * Creates the redactor for an API key, which is ASCII and not empty. It finds the key as it is, in base64 and in hexadecimal,
 * each also with escapes of JSON, URLs and HTML for the characters that these escape.
 */
export function createRedactor(secret: string): Redactor {
  const isShort = secret.length < SHORT_SECRET;
  const forms = isShort ? [secret] : [secret, ...base64Forms(secret), ...hexForms(secret)];
  const spellings = forms.map(spelledPattern).join('|');
  const pattern = new RegExp(isShort ? separateWord(secret, spellings) : spellings, 'g');
  const beginning = new RegExp(forms.map((form) => spelledPattern(form.slice(0, BEGINNING))).join('|'));
  const longest = CONTEXT + Math.max(...forms.map(longestSpelling));

  return {
    redact: (text) => text.replace(pattern, MASK),
    async *stream(chunks) {
      // Begins with the last bytes that were yielded, for context.
      let held: Buffer = Buffer.alloc(0);
      let from = 0;
      /** Redacts what starts before `to`, and holds the rest. */
      function* redactUntil(bytes: Buffer, to: number): Generator<Buffer> {
        // The secret and its spellings are ASCII, so any text can be searched as Latin-1.
        const text = bytes.toString('latin1');
        pattern.lastIndex = from;
        for (const { index, 0: found } of text.matchAll(pattern)) {
          if (index >= to) break;
          yield Buffer.concat([bytes.subarray(from, index), Buffer.from(MASK)]);
          from = index + found.length;
        }
        const end = Math.max(from, to);
        if (end > from) yield bytes.subarray(from, end);
        const start = Math.max(0, end - CONTEXT);
        held = Buffer.from(bytes.subarray(start));
        from = end - start;
      }
      try {
        for await (const chunk of chunks) {
          const bytes = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
          // A match that starts before this place ends within the bytes.
          const to = bytes.length - longest;
          if (to > from) yield* redactUntil(bytes, to);
          else held = bytes;
        }
      } catch (error) {
        // The connection may have been lost within the secret.
        const rest = Buffer.concat([...redactUntil(held, held.length)]).toString('latin1');
        yield Buffer.from(rest.split(beginning)[0] ?? '', 'latin1');
        throw error;
      }
      yield* redactUntil(held, held.length);
    },
  };
}

/** Returns the base64 of the secret at each of three offsets in a longer text, without characters that depend on it. */
function base64Forms(secret: string): string[] {
  return [0, 1, 2].flatMap((offset) => {
    const text = Buffer.from('\0'.repeat(offset) + secret).toString('base64');
    const form = text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + secret.length) * 8) / 6));
    return [...new Set([form, form.replaceAll('+', '-').replaceAll('/', '_')])];
  });
}

/** Returns a pattern of a text in which each character may be escaped. */
function spelledPattern(text: string): string {
  return Array.from(text, spellingsOf).join('');
}

function hexForms(secret: string): string[] {
  const hex = Buffer.from(secret).toString('hex');
  return [...new Set([hex, hex.toUpperCase()])];
}

/** Characters that have a name in XML. */
const ENTITIES: Readonly<Record<string, string>> = { '"': 'quot', '&': 'amp', "'": 'apos', '<': 'lt', '>': 'gt' };

/** Whether nothing escapes a character. */
function isPlain(character: string): boolean {
  return /[\w-]/.test(character);
}

/** Returns a pattern of the ways to write one character: itself, `\"`, `\u0022`, `%22`, `&#34;`, `&#x22;` and `&quot;`. */
function spellingsOf(character: string): string {
  if (isPlain(character)) return character;
  const code = character.charCodeAt(0);
  const hex = code
    .toString(16)
    .padStart(2, '0')
    .replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
  const name = ENTITIES[character];
  const self = character.replace(/[\\^$.*+?()[\]{}|/]/, '\\$&');
  const entity = `#(?:0{0,4}${code}|[xX]0{0,4}${hex})${name === undefined ? '' : `|${name}`}`;
  // JSON within JSON has several backslashes, a URL within a URL has %25, and JSON may escape the & of an entity.
  return `(?:\\\\{0,7}(?:${self}|u00${hex})|%(?:25){0,2}${hex}|(?:&|\\\\{1,7}u0026)(?:${entity});)`;
}

function longestSpelling(form: string): number {
  return Array.from(form).reduce((length, character) => length + (isPlain(character) ? 1 : LONGEST_ESCAPE), 0);
}

/** Returns a pattern of a short secret as a separate word, and not as a JSON number or literal, which must remain valid. */
function separateWord(secret: string, spellings: string): string {
  const isValue = /^(?:-?\d[\d.eE+-]*|true|false|null)$/.test(secret);
  const notInJson = isValue ? `(?!(?<=[:,[]\\s?${spellings})\\s?[,}\\]])` : '';
  return `(?<!\\w)(?:${spellings})(?!\\w)${notInJson}`;
}
