import { quote, quoteForShell } from '../../../output/sanitize.ts';
import type { RowFields } from '../../checked-row.ts';
import type { ValidationIssue } from '../../list-row.ts';
import {
  type FieldValue,
  MEMBER_FIELDS,
  type MemberField,
  type NewMember,
  normalizeSpelling,
} from '../../new-member.ts';
import { PLACEHOLDERS } from '../columns/placeholders.ts';
import { type BoundField, type Rejected, readValue } from '../fields/field-value.ts';
import { NumberToken } from '../fields/number-token.ts';
import { leavesOf } from '../json/json-paths.ts';

const NO_ISSUES: readonly ValidationIssue[] = [];

type Values = { [F in MemberField]?: NewMember[F] | undefined } & Record<string, FieldValue | undefined>;

/** Returns an object with all fields from the start: objects of one shape are created and read faster. */
function noValues(): Values {
  return {
    userId: undefined,
    role: undefined,
    department: undefined,
    isActive: undefined,
    deviceMgmtLabelId: undefined,
  };
}

/** Builds one member after another: accepts values field by field and collects their issues. */
export class MemberBuilder {
  #values = noValues();
  readonly #defaults: Values;
  #issues: ValidationIssue[] | undefined;
  /** How many columns say together whether a person is active, and how many of them the member has so far. */
  readonly #statuses: number;
  #statusesSeen = 0;
  /** The values that could not be read, as they are in the list. */
  #unread: Partial<Record<MemberField, FieldValue>> = {};

  constructor(fields: readonly BoundField[]) {
    this.#statuses = fields.filter((field) => field.isOneOfSeveral).length;
    const filled = fields.filter((field) => field.default !== undefined);
    this.#defaults = Object.fromEntries(filled.map((field) => [field.name, field.default]));
  }

  get values(): Values {
    return this.#values;
  }

  get issues(): readonly ValidationIssue[] {
    return this.#issues ?? NO_ISSUES;
  }

  /** Begins the next member. */
  clear(): void {
    this.#issues = undefined;
    this.#values = noValues();
    this.#statusesSeen = 0;
    this.#unread = {};
  }

  /** Sets a field to `value`, a cell's text or a JSON value, which is in the list under the name `column`. */
  set(field: BoundField, value: unknown, column: string): void {
    // Only a string that may be any name is an index of all values.
    const name: string = field.name;
    const read = readValue(field, value);
    if ('issue' in read) {
      const issue = `${read.shown} ${withTranslation(field, read)}${innerValues(name, column, value)}`;
      this.reject(field, issue, column, { value: textOf(value), isShortened: read.isShortened });
    } else if (field.isOneOfSeveral) this.#addStatus(read.value, column);
    else this.#values[name] = read.value;
  }

  /**
   * Adds an issue about the value of a field.
   *
   * @param rejected the value as it is in the list; undefined if its text does not show what is wrong
   */
  reject(
    { name }: BoundField,
    issue: string,
    column: string,
    { value, isShortened }: { value?: FieldValue | undefined; isShortened?: true | undefined } = {},
  ): void {
    if (value !== undefined) this.#unread[name] = value;
    this.report({ field: name, message: `${fieldLabel(name, column)}: ${issue}`, ...(isShortened && { isShortened }) });
  }

  /** Combines a status with the others: a person is active only if every column says so. */
  #addStatus(value: FieldValue | undefined, column: string): void {
    this.#statusesSeen++;
    const { isActive = true } = this.#values;
    if (value !== undefined) this.#values.isActive = isActive && value === true;
    else this.report({ field: 'isActive', message: `${fieldLabel('isActive', column)}: ${BLANK_STATUS}` });
  }

  /** Adds an issue that is not about the value of a field. */
  report(issue: ValidationIssue): void {
    this.#issues ??= [];
    this.#issues.push(issue);
  }

  /** Fills in the defaults and reports missing fields. Returns the member if it is valid. */
  finish(): NewMember | undefined {
    const values = this.#values;
    const defaults = this.#defaults;
    const userId = values.userId;
    const role = values.role ?? defaults.role;
    if (userId === undefined) this.#missing('userId');
    if (role === undefined) this.#missing('role');
    if (this.#statusesSeen < this.#statuses && this.#issues === undefined)
      this.report({
        field: 'isActive',
        message: `isActive: a column that says who is active is missing: ${BLANK_STATUS}`,
      });
    if (userId === undefined || role === undefined || this.#issues !== undefined) return undefined;
    const member: NewMember = { userId, role };
    const department = values.department ?? defaults.department;
    const isActive = values.isActive ?? defaults.isActive;
    const deviceMgmtLabelId = values.deviceMgmtLabelId ?? defaults.deviceMgmtLabelId;
    if (department !== undefined) member.department = department;
    if (isActive !== undefined) member.isActive = isActive;
    if (deviceMgmtLabelId !== undefined) member.deviceMgmtLabelId = deviceMgmtLabelId;
    return member;
  }

  /** Returns the fields of the present member: as they would be sent, or as they are in the list. */
  fields(): RowFields {
    const isReported = new Set(this.issues.map(({ field }) => field));
    const shown = (field: MemberField) =>
      isReported.has(field) ? this.#unread[field] : (this.#values[field] ?? this.#defaults[field]);
    const all = MEMBER_FIELDS.map((field) => [field, shown(field)] as const);
    return Object.fromEntries(all.filter(([, value]) => value !== undefined));
  }

  #missing(field: MemberField): void {
    // A rejected value is not missing.
    if (this.issues.some((issue) => issue.field === field)) return;
    this.report({ field, message: `${field} is missing` });
  }
}

/** Returns a value of a list as a text; undefined for an object, which would be a value as a text. */
function textOf(value: unknown): FieldValue | undefined {
  if (value instanceof NumberToken) return value.token;
  return typeof value === 'object' ? undefined : (value as FieldValue | undefined);
}

const BLANK_STATUS = 'it is blank (each column of --map isActive must say true or false)';

/** Longer values are not part of a suggested option. */
const MAX_OPTION_TEXT = 60;

/** Adds the option that translates a value which is not a boolean to its issue. */
function withTranslation({ name, kind, isInverted }: BoundField, { issue, translate: text }: Rejected): string {
  if (text === undefined || kind !== 'boolean') return issue;
  // An inverted column takes no translations.
  const how = isInverted ? 'or remove the "!" and' : 'or';
  const option =
    text.length > MAX_OPTION_TEXT || text.includes('=')
      ? `, ${how} translate it with --map-value)`
      : `, ${how} add --map-value ${quoteForShell(`${name}:${text}=${PLACEHOLDERS.isActive}`)})`;
  return issue.replace(/\)$/, option);
}

/** Inner values that a message names. */
const MAX_INNER_VALUES = 5;

/** Names the options that read a value of an object or an array instead of all of it: ` (name one of its values: --map role=role.name)`. */
function innerValues(field: string, column: string, value: unknown): string {
  const paths = [...leavesOf(value, column)].filter(([path, text]) => text !== '' && path !== column);
  if (paths.length === 0) return '';
  const options = paths.slice(0, MAX_INNER_VALUES).map(([path]) => `--map ${quoteForShell(`${field}=${path}`)}`);
  return ` (name one of its values: ${options.join(' or ')})`;
}

/** Returns a field's label for a message, with the column's name unless that is another spelling of the field. */
function fieldLabel(field: string, column: string): string {
  return normalizeSpelling(column) === normalizeSpelling(field) ? field : `${field} (column ${quote(column)})`;
}
