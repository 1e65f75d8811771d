import { UsageError } from '../../util/errors.ts';
import { type MemberEntry, type MemberField, normalizeSpelling } from '../entry.ts';
import { quote, type ValidationIssue } from './list-row.ts';

/** Fields that are known so far, typed as they go out. */
export type FieldValues = { -readonly [F in MemberField]?: MemberEntry[F] };

const KINDS: Record<MemberField, string> = {
  userId: 'a text',
  role: 'a text',
  department: 'a text',
  isActive: 'a boolean (use true/false, yes/no or 1/0)',
  deviceMgmtLabelId: 'an integer within ±9007199254740991 written in digits',
};

const NO_ISSUES: readonly ValidationIssue[] = [];

/**
 * One entry in the making: takes values field by field, and collects everything that is wrong with them. It can be used
 * for one entry after another, and keeps the values that are not taken anew.
 */
export class EntryBuilder {
  /** All fields from the start: objects of one shape are made and read faster. */
  readonly values: FieldValues = {
    userId: undefined,
    role: undefined,
    department: undefined,
    isActive: undefined,
    deviceMgmtLabelId: undefined,
  };
  #issues: ValidationIssue[] | undefined;

  get issues(): readonly ValidationIssue[] {
    return this.#issues ?? NO_ISSUES;
  }

  /**
   * Takes `value`, a cell's text or a JSON value, for `field`. Blank text and null are absent. `column` is the name
   * under which the list holds it. Tells whether it is fine.
   */
  set(field: MemberField, value: unknown, column: string): boolean {
    if (value === null || value === undefined) return true;
    if (typeof value === 'string') return this.#setText(field, value.trim(), column);
    if (field === 'isActive' && typeof value === 'boolean') {
      this.values.isActive = value;
    } else if (field === 'deviceMgmtLabelId' && Number.isSafeInteger(value)) {
      this.values.deviceMgmtLabelId = Number(value);
    } else {
      const shown = typeof value === 'object' ? (Array.isArray(value) ? 'an array' : 'an object') : String(value);
      return this.#reject(field, column, shown, shown, wrongType(field, value));
    }
    return true;
  }

  /** Begins the next entry: forgets what was wrong with the one before. */
  next(): void {
    this.#issues = undefined;
  }

  /** Forgets the value of `field`. */
  clear(field: MemberField): void {
    this.values[field] = undefined;
  }

  /** Adds what is wrong with the row beyond a single field's value. */
  report(problem: ValidationIssue): void {
    this.#issues ??= [];
    this.#issues.push(problem);
  }

  /** Fills what is absent, tells what is required and missing, and gives the entry if nothing is wrong. */
  finish(defaults: FieldValues): MemberEntry | undefined {
    const { values } = this;
    const userId = values.userId;
    const role = values.role ?? defaults.role;
    if (userId === undefined) this.#missing('userId');
    if (role === undefined) this.#missing('role');
    if (userId === undefined || role === undefined || this.issues.length > 0) return undefined;
    const entry: MemberEntry = { userId, role };
    const department = values.department ?? defaults.department;
    const isActive = values.isActive ?? defaults.isActive;
    const deviceMgmtLabelId = values.deviceMgmtLabelId ?? defaults.deviceMgmtLabelId;
    if (department !== undefined) entry.department = department;
    if (isActive !== undefined) entry.isActive = isActive;
    if (deviceMgmtLabelId !== undefined) entry.deviceMgmtLabelId = deviceMgmtLabelId;
    return entry;
  }

  #setText(field: MemberField, text: string, column: string): boolean {
    if (text === '') return true;
    const odd = unprintable(text);
    if (odd !== undefined)
      return this.#reject(field, column, text, quote(text), `holds ${odd}, which is no printable character`);
    if (field === 'isActive') {
      const value = readBoolean(text);
      if (value === undefined) return this.#reject(field, column, text, quote(text), `is not ${KINDS.isActive}`);
      this.values.isActive = value;
    } else if (field === 'deviceMgmtLabelId') {
      const value = readInteger(text);
      if (value === undefined)
        return this.#reject(field, column, text, quote(text), `is not ${KINDS.deviceMgmtLabelId}`);
      this.values.deviceMgmtLabelId = value;
    } else {
      this.values[field] = text;
    }
    return true;
  }

  #reject(field: MemberField, column: string, value: string, shown: string, problem: string): false {
    this.report({ field, column, value, message: `${label(field, column)}: ${shown} ${problem}` });
    return false;
  }

  #missing(field: MemberField): void {
    // A value that was refused is not missing.
    if (this.issues.some((problem) => problem.field === field)) return;
    this.report({ field, message: `${field} is missing` });
  }
}

function wrongType(field: MemberField, value: unknown): string {
  const text = field === 'userId' || field === 'role' || field === 'department';
  if (text && typeof value === 'number') return 'is a number (write it in quotes)';
  return `is not ${KINDS[field]}`;
}

/** A field, with the column's own name where that is more than another spelling. */
function label(field: MemberField, column: string): string {
  return normalizeSpelling(column) === normalizeSpelling(field) ? field : `${field} (column ${quote(column)})`;
}

/** Checks `--default` values as a cell would be. Throws `UsageError` with all that is wrong with them. */
export function parseDefaults(defaults: ReadonlyMap<MemberField, string>): FieldValues {
  const builder = new EntryBuilder();
  for (const [field, text] of defaults) {
    if (field === 'userId') {
      throw new UsageError(
        '--default userId: every row needs an id of its own',
        'Name its column: --map userId=<column>',
      );
    }
    builder.set(field, text, field);
  }
  if (builder.issues.length > 0) {
    throw new UsageError(builder.issues.map((problem) => `--default ${problem.message}`).join('; '));
  }
  return builder.values;
}

const TRUE: ReadonlySet<string> = new Set(['true', 'yes', '1']);
const FALSE: ReadonlySet<string> = new Set(['false', 'no', '0']);

/** true/false, yes/no or 1/0 in any case; undefined for all else. */
function readBoolean(text: string): boolean | undefined {
  const word = text.toLowerCase();
  if (TRUE.has(word)) return true;
  return FALSE.has(word) ? false : undefined;
}

/** An integer written in digits and exact as a JSON number (within ±(2^53-1)); undefined for all else. */
function readInteger(text: string): number | undefined {
  if (!/^[+-]?\d+$/.test(text)) return undefined;
  const value = Number(text);
  return Number.isSafeInteger(value) ? value + 0 : undefined;
}

/** Most text holds nothing else; as simple a pattern as this tells it several times faster than the other, or a loop. */
const BEYOND_ASCII_TEXT = /[^\x20-\x7e]/;
const NO_TEXT = /[\u0000-\u001f\u007f-\u009f\p{Surrogate}]/u;

/** The first character of `text` that cannot stand in a name or id, as `U+000A`: a control character or a lone surrogate. */
function unprintable(text: string): string | undefined {
  if (!BEYOND_ASCII_TEXT.test(text)) return undefined;
  const character = NO_TEXT.exec(text)?.[0];
  if (character === undefined) return undefined;
  return `U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
}
