import { isJsonObject, type JsonObject } from '../../../output/json.ts';
import { UsageError } from '../../../util/errors.ts';
import type { ScannedElement } from '../../../util/json/list-scanner.ts';
import type { MemberField } from '../../entry.ts';
import { EntryBuilder } from '../entry-builder.ts';
import type { FieldRule } from '../field-rule.ts';
import { extraFieldRule } from '../field-rules.ts';
import {
  describeFields,
  describeUselessLookups,
  type Misfit,
  missingFields,
  type PassResult,
  type PassSetup,
  presentFields,
  renderSourceOption,
} from '../list-pass.ts';
import { type ListRow, quote, quoteAll } from '../list-row.ts';
import { statusName } from '../status/status-names.ts';
import { UnreadColumn } from '../status/unread-columns.ts';
import { isLikelyName } from '../suggest/likely-names.ts';
import { findDuplicateKey } from './duplicate-keys.ts';
import { leavesOf, valueAtPath } from './json-paths.ts';
import { createKeyRoles, type KeyRole } from './key-roles.ts';
import { parseListElement } from './parse-element.ts';
import { UnknownKeys } from './unknown-keys.ts';

/** Paths of unread values to keep; exports have fewer. */
const MAX_PATHS = 1000;

/** A field that is read from a dotted path. */
interface PathRule {
  readonly rule: FieldRule;
  /** Keys, as --map names them. */
  readonly path: readonly string[];
}

/** The entries of a JSON list. */
export class JsonEntries {
  /** Entries so far. */
  count = 0;
  readonly #setup: PassSetup;
  #builder: EntryBuilder;
  /** The rules of the options, and those of the extra fields of an errors file. */
  #rules: readonly FieldRule[];
  #roleOf: (key: string) => KeyRole;
  readonly #paths: readonly PathRule[];
  /** The keys or paths from which fields were read, by field. */
  readonly #sources = new Map<string, string>();
  /** Keys that must not be there. */
  readonly #unknown = new UnknownKeys();
  readonly #unread = new Map<string, UnreadColumn>();
  #isErrorsFile = false;

  constructor(setup: PassSetup) {
    this.#setup = setup;
    this.#rules = setup.rules;
    this.#roleOf = createKeyRoles(setup.rules);
    this.#builder = new EntryBuilder(setup.rules);
    this.#paths = setup.rules.flatMap((rule) =>
      rule.source?.name.includes('.') ? { rule, path: rule.source.name.split('.') } : [],
    );
  }

  /** Validates the next entry. Throws `UsageError` if it is not a JSON object. */
  read({ bytes, line }: ScannedElement): ListRow {
    const text = bytes.toString();
    const entry = ++this.count;
    const object = parseObject(text, line, entry);
    const keys = Object.keys(object);
    // An errors file keeps the unknown keys of its list, which orgadm has ignored before.
    const isErrorsFile = keys.some((key) => this.#roleOf(key) === 'error');
    if (isErrorsFile) this.#addExtraFields(keys);
    this.#isErrorsFile ||= isErrorsFile;
    const builder = this.#builder;
    builder.clear();
    const duplicate = findDuplicateKey(text, object);
    if (duplicate !== undefined)
      builder.report({ column: duplicate, message: `the key ${quote(duplicate)} appears twice` });
    const sources = new Map<string, string>();
    for (const key of keys) this.#readKey(key, object[key], sources, isErrorsFile);
    for (const { rule, path } of this.#paths) {
      const value = valueAtPath(object, path);
      if (value !== undefined) this.#set(rule, value, path.join('.'), sources);
    }
    if (this.#setup.observesUnread) this.#observe(object, sources);
    const value = builder.finish();
    return { line, entry, userId: builder.values.userId, value, issues: builder.issues, raw: { text } };
  }

  #addExtraFields(keys: readonly string[]): void {
    const known = new Set(this.#rules.map(({ field }) => field));
    const added = keys.flatMap((key) => extraFieldRule(key) ?? []).filter(({ field }) => !known.has(field));
    if (added.length === 0) return;
    this.#rules = [...this.#rules, ...added];
    this.#roleOf = createKeyRoles(this.#rules);
    this.#builder = new EntryBuilder(this.#rules);
  }

  #readKey(key: string, value: unknown, sources: Map<string, string>, isErrorsFile: boolean): void {
    const role = this.#roleOf(key);
    const isIgnored = this.#setup.options.ignoreExtraColumns || isErrorsFile;
    if (role === 'forbidden') {
      this.#builder.report({ column: key, message: `orgadm cannot use the key ${quote(key)}` });
    } else if (role === 'unknown') {
      if (!isIgnored) this.#unknown.add(key, this.count);
    } else if (typeof role === 'string') {
      return;
    } else if (!role.isReplaced) {
      for (const rule of role.rules) this.#set(rule, value, key, sources);
    } else if (!isIgnored) {
      for (const rule of role.rules) this.#reportBoth(rule, key);
    }
  }

  #reportBoth({ field, source }: FieldRule, key: string): void {
    const names = `${quote(source?.name ?? '')} and ${quote(key)}`;
    const message = `both ${names} are ${field} (to ignore the second: --ignore-extra-columns)`;
    this.#builder.report({ field, column: key, message });
  }

  #set(rule: FieldRule, value: unknown, key: string, sources: Map<string, string>): void {
    const { field } = rule;
    const earlier = sources.get(field);
    if (earlier === undefined) {
      this.#builder.set(rule, value, key);
    } else {
      this.#builder.report({ field, column: key, message: `both ${quote(earlier)} and ${quote(key)} are ${field}` });
    }
    sources.set(field, key);
    if (!this.#sources.has(field)) this.#sources.set(field, key);
  }

  #observe(object: JsonObject, sources: ReadonlyMap<string, string>): void {
    // The key of --map role=status may say who is active, too.
    const others = [...sources].filter(([field, key]) => field !== 'role' || statusName(key) === undefined);
    const read = new Set(others.map(([, key]) => key));
    const { isActive } = this.#builder;
    for (const [key, value] of Object.entries(object)) {
      const role = this.#roleOf(key);
      if (read.has(key) || role === 'error' || role === 'forbidden') continue;
      for (const [path, text] of leavesOf(value, key)) {
        if (read.has(path)) continue;
        const column = this.#unread.get(path) ?? this.#addUnread(path);
        if (text.trim() !== '') column?.add(text.trim(), this.count, isActive);
      }
    }
  }

  #addUnread(path: string): UnreadColumn | undefined {
    if (this.#unread.size === MAX_PATHS) return undefined;
    const isCompared = !this.#sources.has('userId') && isLikelyName('userId', path);
    const column = new UnreadColumn(path, { places: 'entries', isCompared, nowMs: this.#setup.nowMs });
    this.#unread.set(path, column);
    return column;
  }

  /** @param more the value next to the list that says that it continues elsewhere */
  result(more: string | undefined): PassResult {
    const { encoding, format, isOneLine, options } = this.#setup;
    const unread = [...this.#unread.values()];
    const read = new Set(this.#sources.values());
    const present = presentFields(this.#rules, this.#sources);
    return {
      layout: {
        format: format === 'ndjson' ? 'ndjson' : 'json',
        hasBom: encoding.hasBom,
        isOneLine,
        rules: this.#rules,
      },
      mapping: {
        fields: describeFields(this.#rules, options, this.#sources),
        ignored: unread.map(({ name }) => name).filter((name) => !read.has(name)),
      },
      rows: this.count,
      unread,
      present,
      isErrorsFile: this.#isErrorsFile,
      more,
      misfit: this.count === 0 ? undefined : this.#misfit(missingFields(present, options)),
    };
  }

  #misfit(missing: readonly MemberField[]): Misfit | undefined {
    const { options, rules } = this.#setup;
    const problems = [...this.#unusedSources(rules), ...describeUselessLookups(this.#sources, options)];
    const lines = [...missing.map((field) => `no key for ${field}`), ...problems];
    const names = [...new Set([...this.#sources.values(), ...this.#unread.keys()])];
    if (lines.length > 0) lines.push(`keys: ${quoteAll(names)}`);
    lines.push(...this.#unknown.describe(this.count, lines.length > 0));
    return lines.length === 0 ? undefined : { lines, isSuggestible: problems.length === 0, missing };
  }

  /** Returns problems with --map and --extra-field options whose key no entry has. */
  #unusedSources(rules: readonly FieldRule[]): string[] {
    return rules
      .filter(({ field, source }) => source !== undefined && !this.#sources.has(field))
      .map((rule) => `${renderSourceOption(rule)}: no entry has this key`);
  }
}

function parseObject(text: string, line: number, entry: number): JsonObject {
  const value = parseListElement(text, line, entry);
  if (isJsonObject(value)) return value;
  throw new UsageError(
    `line ${line} (entry ${entry}): ${quote(text)} is not an object`,
    'A member looks like {"userId": "...", "role": "..."}.',
    'bad-list',
  );
}
