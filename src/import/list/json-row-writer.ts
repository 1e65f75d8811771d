import { type MemberSpan, objectMembers } from '../../client/json/object-members.ts';
import { escapeJson } from '../../output/sanitize.ts';
import type { MemberField } from '../entry.ts';
import { ERROR_COLUMN, fieldForSpelling } from '../field-names.ts';
import { JsonKeys, type KeyRole } from './json-keys.ts';
import type { JsonLayout } from './list-layout.ts';
import type { RowWriter } from './row-writer-type.ts';

/**
 * Writes the texts of entries as they are, and what is wrong with them under a last key. Keys that --map named become
 * their field's own name, and --default fills what is blank.
 */
export function createJsonRowWriter({ format, bom, options }: JsonLayout): RowWriter {
  const keys = new JsonKeys(options.map);
  const bomText = bom ? '\ufeff' : '';
  const errorMember = (error: string) => `"${ERROR_COLUMN}": ${escapeJson(JSON.stringify(error))}`;
  const row = (text: string, error: string) => {
    const members = objectMembers(text).map((span) => ({ span, role: keys.roleOf(span.key) }));
    const isPlain = options.map.size === 0 && options.defaults.size === 0;
    return isPlain
      ? withError(text, members, errorMember(error))
      : rewritten(text, members, options.defaults, errorMember(error));
  };
  if (format === 'ndjson') {
    return {
      begin: () => bomText,
      row: (raw, error) => `${row('text' in raw ? raw.text.trim() : '{}', error)}\n`,
      end: () => '',
    };
  }
  let before = '\n';
  return {
    begin: () => `${bomText}[`,
    row: (raw, error) => {
      const text = before + row('text' in raw ? raw.text : '{}', error);
      before = ',\n';
      return text;
    },
    end: () => (before === '\n' ? ']\n' : '\n]\n'),
  };
}

interface MemberText {
  span: MemberSpan;
  role: KeyRole;
}

/** The object that `text` is, with its keys, numbers and spacing as they are, and the error as its last key. */
function withError(text: string, members: readonly MemberText[], errorMember: string): string {
  const kept = members.filter(({ role }) => role !== 'error').map(({ span }) => span);
  const last = kept.at(-1);
  if (last === undefined) return `{${errorMember}}`;
  if (kept.length === members.length) return `${text.slice(0, last.end)}, ${errorMember}${text.slice(last.end)}`;
  return `{${kept.map(({ start, end }) => text.slice(start, end)).join(', ')}, ${errorMember}}`;
}

/** The same with every key renamed that would not be known, and with values where they are blank. */
function rewritten(
  text: string,
  members: readonly MemberText[],
  defaults: ReadonlyMap<MemberField, string>,
  errorMember: string,
): string {
  const missing = new Map<string, string>(defaults);
  const kept: string[] = [];
  for (const { span, role } of members) {
    const value = text.slice(span.value, span.end);
    if (role === 'error' || (missing.has(role) && isBlank(value))) continue;
    missing.delete(role);
    const isKnown = role === 'unknown' || role === 'forbidden' || fieldForSpelling(span.key) === role;
    kept.push(isKnown ? text.slice(span.start, span.end) : `${JSON.stringify(role)}:${value}`);
  }
  for (const [field, value] of missing) kept.push(`${JSON.stringify(field)}: ${escapeJson(JSON.stringify(value))}`);
  return `{${[...kept, errorMember].join(', ')}}`;
}

/** Whether a value counts as absent: null, or a text of blanks. */
function isBlank(value: string): boolean {
  const text = value.trim();
  return text === 'null' || (text.startsWith('"') && String(JSON.parse(text)).trim() === '');
}
