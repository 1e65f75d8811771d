const each = (text: string, write: (character: string, code: number) => string) =>
  [...text].map((character) => write(character, character.charCodeAt(0))).join('');
const hex = (code: number) => code.toString(16).padStart(2, '0');
/** Writes the characters that encoders escape: all but letters, digits, `_` and `-`. */
const special = (text: string, write: (character: string, code: number) => string) =>
  each(text, (character, code) => (/[\w-]/.test(character) ? character : write(character, code)));

const NAMES: Readonly<Record<string, string>> = { '"': '&quot;', '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Spellings of a key that a service may echo, by name: text in the value of a string, not yet written as JSON. */
export function textSpellings(key: string): readonly (readonly [name: string, text: string])[] {
  return [
    ['as it is', key],
    ['percent-encoded', encodeURIComponent(key)],
    ['percent-encoded in lower case', special(key, (_, code) => `%${hex(code)}`)],
    ['with HTML entities', special(key, (character, code) => NAMES[character] ?? `&#${code};`)],
    ['with padded HTML entities', special(key, (_, code) => `&#0${code};`)],
    ['with hexadecimal HTML entities', special(key, (_, code) => `&#x${hex(code).toUpperCase()};`)],
    ['in base64', Buffer.from(key).toString('base64')],
    ['in base64 for URLs', Buffer.from(key).toString('base64url')],
    ['in base64 after one byte', Buffer.from(`:${key}`).toString('base64')],
    ['in base64 between other text', Buffer.from(`id:${key}:x`).toString('base64')],
    ['in hexadecimal', Buffer.from(key).toString('hex')],
    ['in hexadecimal, upper case', Buffer.from(key).toString('hex').toUpperCase()],
  ];
}

/** Writes a string as JSON with each `/` escaped. */
const writeSlashes = (text: string) => JSON.stringify(text).replaceAll('/', '\\/');

/** Writes a string as JSON that consists of escapes. */
export const writeEscapes = (text: string) => escaped(text, () => true);

/** Ways to write a string as JSON. */
export const JSON_WRITERS: readonly (readonly [name: string, write: (text: string) => string])[] = [
  ['usual JSON', (text) => JSON.stringify(text)],
  ['JSON with escaped slashes', writeSlashes],
  ['JSON that is safe in HTML', (text) => escaped(text, (character) => /[+"&'<>`\\]/.test(character))],
  ['JSON whose first character is escaped', (text) => escaped(text, (_, at) => at === 0)],
  ['JSON whose last character is escaped', (text) => escaped(text, (_, at) => at === text.length - 1)],
  ['JSON that consists of escapes', writeEscapes],
  ['JSON that consists of escapes in upper case', (text) => writeEscapes(text).replace(/[a-f]/g, upperCase)],
];

const upperCase = (text: string) => text.toUpperCase();

/** Writes a string as JSON, with `\uXXXX` for some of its characters. */
function escaped(text: string, isEscaped: (character: string, at: number) => boolean): string {
  const characters = Array.from({ length: text.length }, (_, at) => text.charAt(at));
  const written = characters.map((character, at) =>
    isEscaped(character, at)
      ? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
      : JSON.stringify(character).slice(1, -1),
  );
  return `"${written.join('')}"`;
}

/** Writes every string and every key of JSON text in one of the ways. */
export function rewriteStrings(json: string, write: (text: string) => string): string {
  return json.replace(/"(?:[^"\\]|\\.)*"/g, (token) => write(JSON.parse(token)));
}

/** Texts in which a service quotes JSON that holds the key, by name: the text of a string, not yet written as JSON. */
export function nestedSpellings(key: string): readonly (readonly [name: string, text: string])[] {
  const quoted = writeSlashes(key);
  return [
    ['in quoted JSON', `{"key":${quoted}}`],
    ['in quoted JSON that consists of escapes', `{"key":${writeEscapes(key)}}`],
    ['in JSON within quoted JSON', `{"body":${writeSlashes(`{"key":${quoted}}`)}}`],
    ['in JSON within quoted JSON that consists of escapes', `{"body":${writeEscapes(`{"key":${writeEscapes(key)}}`)}}`],
  ];
}

/** Whether a text holds the key in one of its spellings, also if escapes of JSON hide it, however often. */
export function holdsKey(text: string, key: string): boolean {
  const stripped = (spelling: string) => spelling.replace(/=+$/, '').slice(0, -1);
  const wanted = textSpellings(key).map(([name, spelling]) =>
    name.startsWith('in base64') ? stripped(spelling).slice(4) : spelling,
  );
  const decoded = text.replace(/\\(?:u([\da-f]{4})|(.))/gi, (_, code: string | undefined, character: string) =>
    code === undefined ? character : String.fromCharCode(Number.parseInt(code, 16)),
  );
  return wanted.some((spelling) => text.includes(spelling)) || (decoded !== text && holdsKey(decoded, key));
}
