import { type MemberSpan, objectMembers } from '../../client/json/object-members.ts';
import { escapeJson } from '../../output/sanitize.ts';
import type { Field } from '../entry.ts';
import { ERROR_COLUMN, fieldOf } from '../field-names.ts';
import { JsonKeys, type KeyMeaning } from './json-keys.ts';
import type { JsonLayout } from './list-layout.ts';
import type { RowWriter } from './row-writer-type.ts';

/**
 * Writes the texts of entries as they are, and what is wrong with them under a last key. Keys that --map named become
 * their field's own name, and --default fills what is blank.
 */
export function createJsonRowWriter({ format, bom, options }: JsonLayout): RowWriter {
  const keys = new JsonKeys(options.map);
  const mark = bom ? '\ufeff' : '';
  const told = (error: string) => `"${ERROR_COLUMN}": ${escapeJson(JSON.stringify(error))}`;
  const row = (text: string, error: string) => {
    const members = objectMembers(text).map((span) => ({ span, meaning: keys.meaning(span.key) }));
    const isPlain = options.map.size === 0 && options.defaults.size === 0;
    return isPlain ? withError(text, members, told(error)) : rewritten(text, members, options.defaults, told(error));
  };
  if (format === 'ndjson') {
    return {
      begin: () => mark,
      row: (raw, error) => `${row('text' in raw ? raw.text.trim() : '{}', error)}\n`,
      end: () => '',
    };
  }
  let before = '\n';
  return {
    begin: () => `${mark}[`,
    row: (raw, error) => {
      const text = before + row('text' in raw ? raw.text : '{}', error);
      before = ',\n';
      return text;
    },
    end: () => (before === '\n' ? ']\n' : '\n]\n'),
  };
}

interface Member {
  span: MemberSpan;
  meaning: KeyMeaning;
}

/** The object that `text` is, with its keys, numbers and spacing as they are, and the error as its last key. */
function withError(text: string, members: readonly Member[], told: string): string {
  const own = members.filter(({ meaning }) => meaning !== 'error').map(({ span }) => span);
  const last = own.at(-1);
  if (last === undefined) return `{${told}}`;
  if (own.length === members.length) return `${text.slice(0, last.end)}, ${told}${text.slice(last.end)}`;
  return `{${own.map(({ start, end }) => text.slice(start, end)).join(', ')}, ${told}}`;
}

/** The same with every key renamed that would not be known, and with values where they are blank. */
function rewritten(
  text: string,
  members: readonly Member[],
  defaults: ReadonlyMap<Field, string>,
  told: string,
): string {
  const missing = new Map<string, string>(defaults);
  const own: string[] = [];
  for (const { span, meaning } of members) {
    const value = text.slice(span.value, span.end);
    if (meaning === 'error' || (missing.has(meaning) && isBlank(value))) continue;
    missing.delete(meaning);
    const isKnown = meaning === 'unknown' || meaning === 'forbidden' || fieldOf(span.key) === meaning;
    own.push(isKnown ? text.slice(span.start, span.end) : `${JSON.stringify(meaning)}:${value}`);
  }
  for (const [field, value] of missing) own.push(`${JSON.stringify(field)}: ${escapeJson(JSON.stringify(value))}`);
  return `{${[...own, told].join(', ')}}`;
}

/** Whether a value counts as absent: null, or a text of blanks. */
function isBlank(value: string): boolean {
  const text = value.trim();
  return text === 'null' || (text.startsWith('"') && String(JSON.parse(text)).trim() === '');
}
