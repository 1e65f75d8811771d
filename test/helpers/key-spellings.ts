const each = (text: string, write: (character: string, code: number) => string) =>
  [...text].map((character) => write(character, character.charCodeAt(0))).join('');
const hex = (code: number) => code.toString(16).padStart(2, '0');
/** Writes the characters that encoders escape: all but letters, digits, `_` and `-`. */
const special = (text: string, write: (character: string, code: number) => string) =>
  each(text, (character, code) => (/[\w-]/.test(character) ? character : write(character, code)));

const NAMES: Readonly<Record<string, string>> = { '"': '&quot;', '&': '&amp;', '<': '&lt;', '>': '&gt;' };

const json = (text: string) => JSON.stringify(text).slice(1, -1);

/** Spellings of a key that a service may echo, by name: text in the value of a string, not yet written as JSON. */
export function textSpellings(key: string): readonly (readonly [name: string, text: string])[] {
  return [
    ['as it is', key],
    ['percent-encoded', encodeURIComponent(key)],
    ['percent-encoded in lower case', special(key, (_, code) => `%${hex(code)}`)],
    ['percent-encoded twice', encodeURIComponent(encodeURIComponent(key))],
    ['with HTML entities', special(key, (character, code) => NAMES[character] ?? `&#${code};`)],
    ['with padded HTML entities', special(key, (_, code) => `&#0${code};`)],
    ['with hexadecimal HTML entities', special(key, (_, code) => `&#x${hex(code).toUpperCase()};`)],
    ['in base64', Buffer.from(key).toString('base64')],
    ['in base64 for URLs', Buffer.from(key).toString('base64url')],
    ['in base64 after one byte', Buffer.from(`:${key}`).toString('base64')],
    ['in base64 between other text', Buffer.from(`id:${key}:x`).toString('base64')],
    ['in hexadecimal', Buffer.from(key).toString('hex')],
    ['in hexadecimal, upper case', Buffer.from(key).toString('hex').toUpperCase()],
    ['as JSON in a text', json(key)],
    ['as JSON with escaped slashes in a text', json(key).replaceAll('/', '\\/')],
    ['as JSON in JSON in a text', json(json(key))],
    ['with Unicode escapes in a text', special(key, (_, code) => `\\u00${hex(code)}`)],
  ];
}

/** Ways to write the string that holds the key as JSON. */
export const JSON_WRITERS: readonly (readonly [name: string, write: (text: string) => string])[] = [
  ['usual JSON', (text) => JSON.stringify(text)],
  ['JSON with escaped slashes', (text) => JSON.stringify(text).replaceAll('/', '\\/')],
  [
    'JSON that is safe in HTML',
    (text) => {
      const escaped = each(text, (character, code) => (/[+"&'<>`]/.test(character) ? `\u0000${hex(code)}` : character));
      return JSON.stringify(escaped).replace(
        /\\u0000([0-9a-f]{2})/g,
        (_, code: string) => `\\u00${code.toUpperCase()}`,
      );
    },
  ],
];

/** Whether a text holds the key in one of its spellings, also where they are escaped as JSON once more. */
export function holdsKey(text: string, key: string): boolean {
  const stripped = (spelling: string) => spelling.replace(/=+$/, '').slice(0, -1);
  return textSpellings(key).some(([name, spelling]) => {
    const wanted = name.startsWith('in base64') ? stripped(spelling).slice(4) : spelling;
    return [wanted, ...JSON_WRITERS.map(([, write]) => write(wanted).slice(1, -1))].some((form) => text.includes(form));
  });
}
