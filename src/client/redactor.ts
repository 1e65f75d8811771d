import { isAscii } from 'node:buffer';
import { HIDDEN_BYTES, HIDDEN_TEXT, type HiddenText } from './hidden-text.ts';

/** Replaces a secret in a text by `***`, in every encoding in which a service may echo it. */
export type Redact = (text: string) => string;

export interface Redactor {
  readonly redact: Redact;
  /** Redacts a stream of UTF-8 bytes in constant memory, also if a chunk ends within the secret. */
  stream(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer>;
}

const MASK = '***';

/** Shorter secrets are replaced only as separate words, because they may occur in other words by chance. */
export const SHORT_SECRET = 8;

/** Upper bound on nested escapes: JSON within JSON, or `%252b`. */
const MAX_DECODINGS = 5;

/** Upper bound on the characters that encode one of the secret, as with `%2b` whose characters are all escaped. */
const MAX_ESCAPE_LENGTH = 64;

/** Part of a text, from `start` up to `end`. */
interface Span {
  start: number;
  end: number;
}

/** A text with its escapes decoded once, or without its hidden characters. */
interface Decoded {
  text: string;
  /** Whether characters were dropped rather than decoded. */
  isDrop: boolean;
  /** For each edit, its end in `text`, and the distance to its end in the source. */
  edits: readonly { end: number; shift: number }[];
  /** End of the last escape in the source. */
  sourceEnd: number;
}

/** Maps a position in a decoded text to the source; `isEnd` excludes what was dropped there. */
type ToSource = (position: number, isEnd?: boolean) => number;

interface Level {
  level: string;
  toSource: ToSource;
}

/**
 * Creates the redactor for an API key, which is ASCII and not empty. It finds the key in plain text, base64 and
 * hexadecimal, each also with any of its characters escaped as in JSON, URLs or HTML, and with control sequences or
 * hidden characters between them, which are removed before a text is shown.
 */
export function createRedactor(secret: string): Redactor {
  const forms = encodedForms(secret);
  const isShort = secret.length < SHORT_SECRET;
  const isFound = isShort ? (text: string, span: Span) => isWord(text, span, secret) : () => true;
  const trigger = escapesOf(forms);
  const longest = Math.max(...forms.map(({ length }) => length));
  const windowLength = longest * MAX_ESCAPE_LENGTH;

  /** Quickly recognizes most bytes without any of the forms: a large list of findings takes 20 % longer otherwise. */
  const isHarmless = (bytes: Buffer) =>
    !isShort &&
    isAscii(bytes) &&
    !SUSPECT_CODES.some((code) => bytes.includes(code)) &&
    !forms.some((form) => bytes.includes(form, 0, 'latin1'));

  const mayHold = (text: string, hidden: HiddenText) =>
    forms.some((form) => text.includes(form)) || hidden.isIn(text) || (hasEscapes(text) && trigger.test(text));

  const find = (text: string, hidden: HiddenText, isCut = false): Span[] => {
    if (!mayHold(text, hidden)) return [];
    const spans: Span[] = [];
    for (const { level, toSource } of allDecodings(text, hidden, isCut)) {
      for (const form of forms) {
        for (let at = level.indexOf(form); at >= 0; at = level.indexOf(form, at + form.length)) {
          const span = { start: at, end: at + form.length };
          if (isFound(level, span)) spans.push({ start: toSource(span.start), end: toSource(span.end, true) });
        }
      }
    }
    return spans;
  };

  /** Returns how many characters at the end of a text may be the start of the secret. */
  const openLength = (text: string): number => {
    const tail = text.slice(-windowLength);
    let from = tail.length;
    for (const { level, toSource } of allDecodings(tail, HIDDEN_BYTES, true)) {
      const start = isShort ? level.search(/[^\s"]*$/) : level.length;
      from = Math.min(from, toSource(start - Math.max(...forms.map((form) => overlap(level, start, form)))));
    }
    return tail.length - from;
  };

  const redact = (text: string) => replaceSpans(text, find(text, HIDDEN_TEXT));

  return {
    redact,
    async *stream(chunks) {
      let held: Buffer = Buffer.alloc(0);
      for await (const chunk of chunks) {
        const bytes = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
        const isClean = isHarmless(bytes);
        // The secret and its encodings are ASCII, so any text can be searched as Latin-1.
        const text = bytes.toString('latin1', isClean ? Math.max(0, bytes.length - longest) : 0);
        const spans = isClean ? [] : find(text, HIDDEN_BYTES, true);
        const end = Math.max(bytes.length - openLength(text), ...spans.map((span) => span.end));
        held = Buffer.from(bytes.subarray(end));
        if (end > 0)
          yield spans.length === 0 ? bytes.subarray(0, end) : latin1(replaceSpans(text.slice(0, end), spans));
      }
      const rest = held.toString('latin1');
      if (rest !== '') yield latin1(replaceSpans(rest, find(rest, HIDDEN_BYTES)));
    },
  };
}

/** Returns the texts to find after escapes are decoded. */
function encodedForms(secret: string): string[] {
  const plain = [secret, ...Array.from(decodings(secret), ({ level }) => level)];
  const encoded = secret.length < SHORT_SECRET ? [] : [...base64Forms(secret), ...hexForms(secret)];
  return [...new Set([...plain, ...encoded])];
}

/** Returns the base64 of the secret at each of three offsets in a longer text, without characters that depend on it. */
function base64Forms(secret: string): string[] {
  return [0, 1, 2].flatMap((offset) => {
    const text = Buffer.from('\0'.repeat(offset) + secret).toString('base64');
    const form = text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + secret.length) * 8) / 6));
    return [form, form.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

function hexForms(secret: string): string[] {
  const hex = Buffer.from(secret).toString('hex');
  return [hex, hex.toUpperCase()];
}

/** Whether a match is a separate word, and not a JSON number or literal, which must remain valid. */
function isWord(text: string, { start, end }: Span, secret: string): boolean {
  if (/\w$/.test(text.slice(0, start).slice(-1)) || /^\w/.test(text.slice(end, end + 1))) return false;
  if (!/^(?:-?\d[\d.eE+-]*|true|false|null)$/.test(secret)) return true;
  return !(
    /(?:^|[:,[])\s*$/.test(text.slice(Math.max(0, start - 20), start)) &&
    /^\s*(?:[,}\]]|$)/.test(text.slice(end, end + 20))
  );
}

/** Yields the decodings of a text and, if any of them has hidden characters, those without them. */
function* allDecodings(text: string, hidden: HiddenText, isCut: boolean): Generator<Level> {
  let isSuspect = isCut && hidden.isIn(text);
  for (const decoding of decodings(text, isCut)) {
    isSuspect ||= hidden.isIn(decoding.level);
    yield decoding;
  }
  if (isSuspect) yield* decodings(text, isCut, hidden);
}

/**
 * Yields a text and its repeated decodings, each with a mapping to positions in the text. If the text is cut, an escape that
 * may continue after its end is left out.
 *
 * @param hidden what to drop at each level; default nothing
 */
function* decodings(text: string, isCut = false, hidden?: HiddenText): Generator<Level> {
  const done: Decoded[] = [];
  const toSource: ToSource = (position, isEnd = false) =>
    done.reduceRight((at, { edits, isDrop }) => at + shiftAt(edits, isEnd && isDrop ? at - 1 : at), position);
  const dropHidden = (level: string): string => {
    if (hidden === undefined) return level;
    const complete = isCut ? level.replace(hidden.unfinished, '') : level;
    const dropped = replaceAll(complete, hidden.pattern, () => '', true);
    if (dropped === undefined) return complete;
    done.push(dropped);
    return dropped.text;
  };
  let level = text;
  for (let decodes = 0; ; decodes++) {
    level = dropHidden(isCut ? level.replace(UNFINISHED_ENTITY, '') : level);
    const decoded = decodeEscapes(level);
    const unfinished = isCut ? (UNFINISHED.exec(level.slice(decoded?.sourceEnd ?? 0))?.[0].length ?? 0) : 0;
    yield { level: level.slice(0, level.length - unfinished), toSource };
    if (decoded === undefined || decodes >= MAX_DECODINGS) return;
    done.push(decoded);
    level = decoded.text.slice(0, decoded.text.length - unfinished);
  }
}

const UNFINISHED = /(?:\\(?:u[0-9a-f]{0,3}|x[0-9]?)?|%[0-7]?|&#?\w{0,12})$/i;
/** May be complete, or be followed by its semicolon. */
const UNFINISHED_ENTITY = /&(?:#\w{0,12}|[a-z]{2,12})$/i;

/** HTML's names of ASCII punctuation, in lower case. */
const ENTITIES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '!': 'excl',
    '"': 'quot',
    '#': 'num',
    $: 'dollar',
    '%': 'percnt',
    '&': 'amp',
    "'": 'apos',
    '(': 'lpar',
    ')': 'rpar',
    '*': 'ast midast',
    '+': 'plus',
    ',': 'comma',
    '.': 'period',
    '/': 'sol',
    ':': 'colon',
    ';': 'semi',
    '<': 'lt',
    '=': 'equals',
    '>': 'gt',
    '?': 'quest',
    '@': 'commat',
    '[': 'lsqb lbrack',
    '\\': 'bsol',
    ']': 'rsqb rbrack',
    '^': 'hat',
    _: 'lowbar underbar',
    '`': 'grave diacriticalgrave',
    '{': 'lcub lbrace',
    '|': 'verbar vert verticalline',
    '}': 'rcub rbrace',
  }).flatMap(([character, names]) => names.split(' ').map((name) => [name, character])),
);

/** Entities that HTML accepts without a semicolon. */
const LEGACY_NAMES = 'amp|lt|gt|quot';
/** JSON's escapes of hidden characters above Latin-1. */
const HIDDEN_ESCAPE = String.raw`\\u(?:061c|200[ef]|202[89a-e]|206[6-9]|feff)`;
const ESCAPE = new RegExp(
  [
    String.raw`\\(?:(["\\/])|(?:u00|x)([0-9][0-9a-f]))`,
    '%([0-7][0-9a-f])',
    String.raw`&(?:#(?:0*(1[0-5]\d|\d{2})|x0*([0-9][0-9a-f]));?|(${[...ENTITIES.keys()].join('|')});|(${LEGACY_NAMES}))`,
    `(${HIDDEN_ESCAPE})`,
  ].join('|'),
  'gi',
);
/** Codes of hidden characters in hexadecimal: C0 without line breaks and tabs, DEL and C1. */
const HIDDEN_CODES = '0[0-8bcef]|1[0-9a-f]|7f|[89][0-9a-f]';

/**
 * Matches the escapes that may encode a form: those of its characters and of the characters of other escapes. Few texts
 * contain any, and only those must be decoded.
 */
function escapesOf(forms: readonly string[]): RegExp {
  const own = new Set(forms.join(''));
  const characters = new Set([...own, ...'%&\\#;ux0123456789abcdef']);
  const codes = [HIDDEN_CODES, ...[...characters].map((character) => character.charCodeAt(0).toString(16))].join('|');
  const isNeeded = ([name, character]: [string, string]) => (name === 'amp' ? own : characters).has(character);
  const names = [...ENTITIES]
    .filter(isNeeded)
    .map(([name]) => `${name}${LEGACY_NAMES.split('|').includes(name) ? '' : ';'}`);
  const quoted = ['"', '/', '\\'].filter((character) => own.has(character)).map((character) => `|\\${character}`);
  const percent = own.has('%') ? '|%25' : '';
  return new RegExp(
    `\\\\(?:(?:u00|x)(?:${codes})${quoted.join('')})|%(?:25)*(?!25)(?:${codes})${percent}|&(?:amp;?)*(?:#|${names.join('|')})|${HIDDEN_ESCAPE}`,
    'i',
  );
}

/** Decodes each escape of an ASCII or hidden character once. Returns undefined if there is none. */
function decodeEscapes(source: string): Decoded | undefined {
  return hasEscapes(source) ? replaceAll(source, ESCAPE, characterOf, false) : undefined;
}

/** Replaces the matches that have a replacement. Returns undefined if there is none. */
function replaceAll(
  source: string,
  pattern: RegExp,
  replacement: (match: RegExpExecArray) => string | undefined,
  isDrop: boolean,
): Decoded | undefined {
  const edits: { end: number; shift: number }[] = [];
  let text = '';
  let sourceEnd = 0;
  for (const match of source.matchAll(pattern)) {
    const character = replacement(match);
    if (character === undefined) continue;
    text += source.slice(sourceEnd, match.index) + character;
    sourceEnd = match.index + match[0].length;
    edits.push({ end: text.length, shift: sourceEnd - text.length });
  }
  return edits.length === 0 ? undefined : { text: text + source.slice(sourceEnd), isDrop, edits, sourceEnd };
}

function hasEscapes(text: string): boolean {
  return text.includes('\\') || text.includes('%') || text.includes('&');
}

/** Codes of the ASCII characters that start an escape, or are hidden. */
const SUSPECT_CODES = Array.from({ length: 128 }, (_, code) => code).filter((code) => {
  const character = String.fromCharCode(code);
  return hasEscapes(character) || HIDDEN_TEXT.isIn(character);
});

/** C1 controls that start or end a sequence, with their equivalent of two ASCII characters. */
const C1_SEQUENCES: ReadonlyMap<number, string> = new Map(
  [0x90, 0x98, 0x9b, 0x9c, 0x9d, 0x9e, 0x9f].map((code) => [code, `\x1b${String.fromCharCode(code - 0x40)}`]),
);

/**
 * Returns the character of a match of ESCAPE, in ASCII: DEL for any other hidden one, so that strings and bytes are decoded
 * alike. Undefined for a character that can neither be in a key nor be dropped.
 */
function characterOf([, escaped, json, url, decimal, hex, name, legacy, hidden]: RegExpExecArray): string | undefined {
  if (escaped !== undefined) return escaped;
  if (hidden !== undefined) return '\x7f';
  const entity = name ?? legacy;
  if (entity !== undefined) return ENTITIES.get(entity.toLowerCase());
  const code = decimal === undefined ? Number.parseInt(json ?? url ?? hex ?? '', 16) : Number(decimal);
  if (code === 0x09 || code === 0x0a || code === 0x0d) return undefined;
  return code < 0x80 ? String.fromCharCode(code) : (C1_SEQUENCES.get(code) ?? '\x7f');
}

/** Returns the distance between a position of the decoded text and the source. */
function shiftAt(edits: Decoded['edits'], position: number): number {
  let [low, high] = [0, edits.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((edits[middle]?.end ?? 0) <= position) low = middle + 1;
    else high = middle;
  }
  return edits[low - 1]?.shift ?? 0;
}

/** Returns how many characters before `end` are an incomplete start of `form`. */
function overlap(text: string, end: number, form: string): number {
  for (let at = Math.max(0, end - form.length + 1); at < end; at++) {
    at = text.indexOf(form.charAt(0), at);
    if (at < 0 || at >= end) return 0;
    if (form.startsWith(text.slice(at, end))) return end - at;
  }
  return 0;
}

function latin1(text: string): Buffer {
  return Buffer.from(text, 'latin1');
}

function replaceSpans(text: string, spans: readonly Span[]): string {
  if (spans.length === 0) return text;
  let result = '';
  let from = 0;
  for (const { start, end } of spans.toSorted((a, b) => a.start - b.start)) {
    if (start >= from) result += text.slice(from, start) + MASK;
    from = Math.max(from, end);
  }
  return result + text.slice(from);
}
