const each = (text: string, write: (character: string, code: number) => string) =>
  [...text].map((character) => write(character, character.charCodeAt(0))).join('');
const hex = (code: number) => code.toString(16).padStart(2, '0');
const unicodeEscape = (code: number, letters?: 'upper') => {
  const digits = code.toString(16).padStart(4, '0');
  return `\\u${letters === 'upper' ? digits.toUpperCase() : digits}`;
};
/** What encoders escape: everything else than letters and digits. */
const isSpecial = (character: string) => !/[A-Za-z0-9]/.test(character);
const special = (text: string, write: (character: string, code: number) => string) =>
  each(text, (character, code) => (isSpecial(character) ? write(character, code) : character));

const LEGACY: Readonly<Record<string, string>> = { '"': '&quot', '&': '&amp' };
const NAMES: Readonly<Record<string, string>> = {
  '+': '&plus;',
  '/': '&sol;',
  '"': '&quot;',
  '\\': '&bsol;',
  '=': '&equals;',
  '&': '&amp;',
};

/** Puts a text into the middle of a key. */
const split = (key: string, inside: string) => `${key.slice(0, 10)}${inside}${key.slice(10)}`;

const json = (text: string) => JSON.stringify(text).slice(1, -1);

/** Spellings of a key that a service may echo, by name: text in the value of a string, not yet written as JSON. */
export function textSpellings(key: string): readonly (readonly [name: string, text: string])[] {
  return [
    ['as it is', key],
    ['percent-encoded', encodeURIComponent(key)],
    ['percent-encoded in lower case', special(key, (_, code) => `%${hex(code)}`)],
    ['percent-encoded entirely', each(key, (_, code) => `%${hex(code).toUpperCase()}`)],
    ['percent-encoded twice', encodeURIComponent(encodeURIComponent(key))],
    ['with HTML entities', special(key, (character, code) => NAMES[character] ?? `&#${code};`)],
    ['with decimal HTML entities', special(key, (_, code) => `&#${code};`)],
    ['with padded HTML entities', special(key, (_, code) => `&#x000${hex(code)};`)],
    ['with hexadecimal HTML entities', each(key, (_, code) => `&#X${hex(code).toUpperCase()};`)],
    ['with escaped HTML entities', special(key, (_, code) => `&amp;#${code};`)],
    ['with HTML entities without semicolons', special(key, (character, code) => LEGACY[character] ?? `&#${code}`)],
    ['with a color sequence inside', split(key, '\u001b[0m')],
    ['with a C1 color sequence inside', split(key, '\u009b1;31m')],
    ['with a title sequence inside', split(key, '\u001b]0;title\u0007')],
    ['with hidden characters inside', split(key, '\u200e\u202d\ufeff\u007f')],
    ['with an escaped color sequence inside', split(key, '\\u001b[0m')],
    ['with an escaped color sequence in another escape inside', split(key, '\\x9b0m\\u200f')],
    ['percent-encoded with a color sequence inside', encodeURIComponent(split(key, '\u001b[0m'))],
    ['in base64', Buffer.from(key).toString('base64')],
    ['in base64 for URLs', Buffer.from(key).toString('base64url')],
    ['in base64 after one byte', Buffer.from(`:${key}`).toString('base64')],
    ['in base64 between other text', Buffer.from(`id:${key}:x`).toString('base64')],
    ['in hexadecimal', Buffer.from(key).toString('hex')],
    ['in hexadecimal, upper case', Buffer.from(key).toString('hex').toUpperCase()],
    ['as JSON in a text', json(key)],
    ['as JSON with escaped slashes in a text', json(key).replaceAll('/', '\\/')],
    ['as JSON in JSON in a text', json(json(key))],
    ['with Unicode escapes in a text', each(key, (_, code) => `\\u00${hex(code)}`)],
    ['with hexadecimal escapes in a text', special(key, (_, code) => `\\x${hex(code)}`)],
    ['percent-encoded in escapes', each(encodeURIComponent(key), (_, code) => `\\u00${hex(code)}`)],
  ];
}

/** Ways to write the string that holds the key as JSON. */
export const JSON_WRITERS: readonly (readonly [name: string, write: (text: string) => string])[] = [
  ['usual JSON', (text) => JSON.stringify(text)],
  ['JSON with escaped slashes', (text) => JSON.stringify(text).replaceAll('/', '\\/')],
  ['JSON with its special characters escaped', (text) => `"${special(text, (_, code) => unicodeEscape(code))}"`],
  ['JSON with all characters escaped', (text) => `"${each(text, (_, code) => unicodeEscape(code, 'upper'))}"`],
];

/** Whether a text holds the key in one of its spellings, also where they are escaped as JSON once more. */
export function holdsKey(text: string, key: string): boolean {
  const stripped = (spelling: string) => spelling.replace(/=+$/, '').slice(0, -1);
  return textSpellings(key).some(([name, spelling]) => {
    const wanted = name.startsWith('in base64') ? stripped(spelling).slice(4) : spelling;
    return [wanted, ...JSON_WRITERS.map(([, write]) => write(wanted).slice(1, -1))].some((form) => text.includes(form));
  });
}
