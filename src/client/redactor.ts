/** Replaces a secret in a text by `***`, in every spelling in which a service may echo it. */
export type Redact = (text: string) => string;

export interface Redactor {
  readonly redact: Redact;
  /** The same for a stream of UTF-8 bytes, also where a chunk ends inside the secret. Constant memory. */
  stream(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer>;
}

const MASK = '***';

/** Shorter secrets are replaced as whole words only: anything else would garble what just happens to contain them. */
export const SHORT_SECRET = 8;

/** How often escapes are decoded: JSON inside JSON, or `%252b`. */
const MAX_DECODINGS = 5;

/** At most so many characters of a text stand for one of the secret, as with `%2b` whose characters are all escaped. */
const MAX_ESCAPE_LENGTH = 64;

/** Part of a text, from `start` up to `end`. */
interface Span {
  start: number;
  end: number;
}

/** A text with its escapes decoded once. */
interface Decoded {
  text: string;
  /** After each decoded character: its end in `text`, and how much further on the end of its escape was. */
  edits: readonly { end: number; shift: number }[];
  /** Where the last escape ends in the text that was decoded. */
  sourceEnd: number;
}

/**
 * Builds the redactor for an API key, which is ASCII and not empty. It finds the key as it is, in base64 and in
 * hexadecimal, each also with any of its characters escaped as in JSON, URLs or HTML.
 */
export function createRedactor(secret: string): Redactor {
  const forms = encodedForms(secret);
  const isShort = secret.length < SHORT_SECRET;
  const isFound = isShort ? (text: string, span: Span) => isWord(text, span, secret) : () => true;
  const trigger = escapesOf(forms);
  const windowLength = Math.max(...forms.map(({ length }) => length)) * MAX_ESCAPE_LENGTH;

  const find = (text: string): Span[] => {
    if (!forms.some((form) => text.includes(form)) && !(hasEscapes(text) && trigger.test(text))) return [];
    const spans: Span[] = [];
    for (const { level, toSource } of decodings(text)) {
      for (const form of forms) {
        for (let at = level.indexOf(form); at >= 0; at = level.indexOf(form, at + form.length)) {
          const span = { start: at, end: at + form.length };
          if (isFound(level, span)) spans.push({ start: toSource(span.start), end: toSource(span.end) });
        }
      }
    }
    return spans;
  };

  /** How many characters at the end of a text may be the beginning of a spelling that the next chunk continues. */
  const openLength = (text: string): number => {
    const tail = text.slice(-windowLength);
    let from = tail.length;
    for (const { level, toSource } of decodings(tail, true)) {
      const start = isShort ? level.search(/[^\s"]*$/) : level.length;
      from = Math.min(from, toSource(start - Math.max(...forms.map((form) => overlap(level, start, form)))));
    }
    return tail.length - from;
  };

  const redact = (text: string) => replaceSpans(text, find(text));

  return {
    redact,
    async *stream(chunks) {
      let held = '';
      for await (const chunk of chunks) {
        // The secret and its spellings are ASCII, whatever the text around them is.
        const text = held + chunk.toString('latin1');
        const spans = find(text);
        const end = Math.max(text.length - openLength(text), ...spans.map((span) => span.end));
        const isSame = held === '' && spans.length === 0;
        held = text.slice(end);
        if (end > 0) yield isSame ? chunk.subarray(0, end) : latin1(replaceSpans(text.slice(0, end), spans));
      }
      if (held !== '') yield latin1(redact(held));
    },
  };
}

/** The texts to look for once escapes are decoded. */
function encodedForms(secret: string): string[] {
  const plain = [secret, ...Array.from(decodings(secret), ({ level }) => level)];
  const encoded = secret.length < SHORT_SECRET ? [] : [...base64Forms(secret), ...hexForms(secret)];
  return [...new Set([...plain, ...encoded])];
}

/** The base64 of the secret at each of three offsets in a longer text, without the characters that depend on that text. */
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

/** A word of its own, and not a number or literal of JSON, which must stay one. */
function isWord(text: string, { start, end }: Span, secret: string): boolean {
  if (/\w$/.test(text.slice(0, start).slice(-1)) || /^\w/.test(text.slice(end, end + 1))) return false;
  if (!/^(?:-?\d[\d.eE+-]*|true|false|null)$/.test(secret)) return true;
  return !(
    /(?:^|[:,[])\s*$/.test(text.slice(Math.max(0, start - 20), start)) &&
    /^\s*(?:[,}\]]|$)/.test(text.slice(end, end + 20))
  );
}

/**
 * A text, and what it becomes as its escapes are decoded again and again, with the way back to positions in the text
 * itself. Of a text that is cut, an escape that may go on after its end is left out.
 */
function* decodings(text: string, isCut = false): Generator<{ level: string; toSource: (position: number) => number }> {
  const done: Decoded[] = [];
  const toSource = (position: number) => done.reduceRight((at, { edits }) => at + shiftAt(edits, at), position);
  for (let level = text; ; ) {
    const decoded = decodeEscapes(level);
    const unfinished = isCut ? (UNFINISHED.exec(level.slice(decoded?.sourceEnd ?? 0))?.[0].length ?? 0) : 0;
    yield { level: level.slice(0, level.length - unfinished), toSource };
    if (decoded === undefined || done.push(decoded) > MAX_DECODINGS) return;
    level = decoded.text.slice(0, decoded.text.length - unfinished);
  }
}

const ESCAPE =
  /\\(?:(["\\/])|(?:u00|x)([0-7][0-9a-fA-F]))|%([0-7][0-9a-fA-F])|&(?:#(?:0*(\d{2,3})|[xX]0*([0-7][0-9a-fA-F]));|([a-zA-Z]{2,12});)/g;
const UNFINISHED = /(?:\\(?:u0{0,2}[0-7]?|x[0-7]?)?|%[0-7]?|&#?\w{0,12})$/;

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

/**
 * Matches the escapes that may be part of a spelling of a form: those of its characters and of what other escapes are
 * made of. Few texts contain any, and only those have to be decoded.
 */
function escapesOf(forms: readonly string[]): RegExp {
  const own = new Set(forms.join(''));
  const characters = new Set([...own, ...'%&\\#;ux0123456789abcdef']);
  const codes = [...characters].map((character) => character.charCodeAt(0).toString(16)).join('|');
  const names = [...ENTITIES].filter(([name, character]) => name !== 'amp' && characters.has(character));
  const quoted = ['"', '/', '\\'].filter((character) => own.has(character)).map((character) => `|\\${character}`);
  return new RegExp(
    `\\\\(?:(?:u00|x)(?:${codes})${quoted.join('')})|%(?:25)*(?!25)(?:${codes})|&(?:amp;)*(?:#|(?:${names.map(([name]) => name).join('|')});)`,
    'i',
  );
}

/** Decodes each escape of a printable ASCII character once; undefined where there is none. */
function decodeEscapes(source: string): Decoded | undefined {
  if (!hasEscapes(source)) return undefined;
  const edits: { end: number; shift: number }[] = [];
  let text = '';
  let sourceEnd = 0;
  for (const match of source.matchAll(ESCAPE)) {
    const character = characterOf(match);
    if (character === undefined) continue;
    text += source.slice(sourceEnd, match.index) + character;
    sourceEnd = match.index + match[0].length;
    edits.push({ end: text.length, shift: sourceEnd - text.length });
  }
  return edits.length === 0 ? undefined : { text: text + source.slice(sourceEnd), edits, sourceEnd };
}

function hasEscapes(text: string): boolean {
  return text.includes('\\') || text.includes('%') || text.includes('&');
}

/** The character of a match of ESCAPE; undefined where it is none that a key can have. */
function characterOf([, escaped, json, url, decimal, hex, name]: RegExpExecArray): string | undefined {
  if (escaped !== undefined) return escaped;
  if (name !== undefined) return ENTITIES.get(name.toLowerCase());
  const code = decimal === undefined ? Number.parseInt(json ?? url ?? hex ?? '', 16) : Number(decimal);
  return code >= 0x20 && code < 0x7f ? String.fromCharCode(code) : undefined;
}

/** How far the source is ahead at a position of the decoded text. */
function shiftAt(edits: Decoded['edits'], position: number): number {
  let [low, high] = [0, edits.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((edits[middle]?.end ?? 0) <= position) low = middle + 1;
    else high = middle;
  }
  return edits[low - 1]?.shift ?? 0;
}

/** How many characters before `end` are the beginning of `form`, but not all of it. */
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
