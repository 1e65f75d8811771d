import { joinFirst } from '../util/units.ts';

/*
 * Text from a service or a file is untrusted: an escape sequence could move the cursor, set the clipboard or hide text. These
 * functions make it safe for a terminal.
 */

const c0 = String.raw`\x00-\x1f`;
// DEL and C1, Arabic letter mark, LRM/RLM, line and paragraph separators and bidi embeddings, bidi isolates, BOM.
const hidden = String.raw`\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff`;

const SUSPECT = new RegExp(String.raw`[${c0}${hidden}\p{Surrogate}]`, 'u');
const UNTRUSTED = new RegExp(String.raw`([\t\n\r]+)|[${c0}${hidden}\p{Surrogate}]`, 'gu');
const JSON_HIDDEN = new RegExp(`[${hidden}]`, 'gu');

/** Makes `text` safe for one line: replaces line breaks and tabs by a space, and shows other controls as `\\u001b`. */
export function cleanLine(text: string): string {
  return clean(text, () => ' ');
}

/** Like `cleanLine`, for text of several lines: every line break becomes `\n`, a tab four spaces. */
export function cleanBlock(text: string): string {
  return clean(text, (space) => space.replace(/\r\n?/g, '\n').replaceAll('\t', '    '));
}

/** Like `cleanLine`, for a CSV cell: line breaks (as `\n`) and tabs are kept, a single CR is escaped. */
export function cleanCell(text: string): string {
  return clean(text, (space) => space.replaceAll('\r\n', '\n').replace(/\r/g, visible));
}

/**
 * Escapes DEL, C1, bidirectional controls, line separators and BOM in JSON as `\uXXXX` (C0 and lone surrogates are escaped
 * already). The result parses to the same value.
 */
export function escapeJson(json: string): string {
  return json.replace(JSON_HIDDEN, visible);
}

function clean(text: string, onSpace: (space: string) => string): string {
  if (!SUSPECT.test(text)) return text;
  return text.replace(UNTRUSTED, (match: string, space: string | undefined) => {
    return space === undefined ? visible(match) : onSpace(space);
  });
}

/** Escapes a character as `\u001b`; a lone surrogate becomes U+FFFD. */
function visible(character: string): string {
  const code = character.charCodeAt(0);
  if (code >= 0xd800 && code <= 0xdfff) return '\ufffd';
  return `\\u${code.toString(16).padStart(4, '0')}`;
}

/**
 * Matches the first character of a line that a CI system would run as a command if it came from a program: `::set-output` and
 * `##[add-path]` of GitHub, which skips spaces, and `##vso[` of Azure.
 */
const COMMAND_START = /^([ \t]*)(:(?=:)|#(?=#(?:vso)?\[))/gim;

/** Escapes the start of each line that a CI system would run as a command. */
export function escapeCommands(lines: string): string {
  return lines.replace(COMMAND_START, (_, spaces: string, first: string) => spaces + visible(first));
}

/** Characters that are not shown as they are: controls, bidirectional marks, line separators and the BOM. */
const HIDDEN = new RegExp(`[${c0}${hidden}]`);

/**
 * Quotes a word for bash, zsh, and fish, so that a printed command can be pasted; plain words stay as they are. A word with hidden
 * characters, which cannot be shown, or with a backslash that fish would read as an escape, becomes `"$(printf 'a\012b')"`. zsh
 * replaces words that begin with `=`, and fish `%self`. A word that ends in a period is quoted, so that it does not look like the
 * end of a sentence.
 */
export function quoteForShell(word: string): string {
  if (HIDDEN.test(word) || /\\(?:[\\']|$)/.test(word)) return `"$(printf '${Array.from(word, printfText).join('')}')"`;
  return /^(?![=%])[\w@%+=:,./-]*[\w@%+=:,/-]$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

function printfText(character: string): string {
  if (character === '%') return '%%';
  // A shell may expand some of them within the quotes, and printf reads a word that starts with - as an option.
  if (!HIDDEN.test(character) && !/['"\\`$!-]/.test(character)) return character;
  return Array.from(Buffer.from(character), (byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
}

const MAX_SHOWN_CHARACTERS = 60;
const MAX_SHOWN_VALUES = 30;

/** Renders a value for a message: quoted, on one line, safe for a terminal, cut after 60 characters. */
export function quote(value: string): string {
  const characters = [...value.slice(0, MAX_SHOWN_CHARACTERS * 2 + 2)];
  const shown =
    characters.length > MAX_SHOWN_CHARACTERS ? `${characters.slice(0, MAX_SHOWN_CHARACTERS).join('')}…` : value;
  return escapeJson(JSON.stringify(shown));
}

/** Renders several values, quoted, with commas between them; of very many the first 30, and how many more there are. */
export function quoteAll(values: Iterable<string>, render = quote): string {
  return joinFirst(
    [...values].map((value) => render(value)),
    MAX_SHOWN_VALUES,
  );
}
