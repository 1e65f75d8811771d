import { quote } from '../../output/sanitize.ts';
import { UsageError } from '../../util/errors.ts';
import { formatCount } from '../../util/units.ts';
import { comparableText, sendableText } from '../../util/visible-text.ts';
import type { CheckedRow, RowIssue } from '../checked-row.ts';
import type { GivenMapping, Mapping, TranslatedField } from '../mapping.ts';
import { type FieldValue, MEMBER_FIELDS, type MemberField, type NewMember } from '../new-member.ts';
import type { Row, Table } from '../table/table.ts';
import { type Binding, bindColumns } from './bind-columns.ts';
import { canReadRows, type Decision, ignoredNames, OpenColumns } from './decisions.ts';
import type { Lookup } from './lookup.ts';
import { Rejected } from './read-cell-text.ts';
import { readIsActive, readLabel, readUserId, readWord, type Translations } from './read-field.ts';
import { StatusReader } from './read-status.ts';
import { PeopleCounter, type Totals } from './totals.ts';

/** What a list shows once all of its rows are checked. */
export interface ListCheck {
  readonly totals: Totals;
  /** What the mapping leaves open. The rows of a list with a required decision are not to be sent. */
  readonly decisions: readonly Decision[];
  /** The mapping in effect, with the names that the list has. */
  readonly mapping: Mapping;
  /** By field, a value as it is sent. */
  readonly samples: Partial<Record<MemberField, FieldValue>>;
}

/** The most rows that a list may have: short rows take more memory than their bytes. */
const MAX_ROWS = 5_000_000;

/**
 * Checks every row of a list, in one pass. Yields the rows in order, in chunks; none if the mapping leaves open which column has
 * the user IDs, or the roles.
 *
 * @param lookup the second list that the mapping names
 * @throws UsageError for a list that cannot be read, and for a mapping that does not fit it
 */
export async function* checkRows(
  table: Table,
  given: GivenMapping,
  lookup: Lookup | undefined,
): AsyncGenerator<CheckedRow[], ListCheck> {
  // A JSON list without people has no columns.
  if (table.columns.length === 0) throw noPeople(table);
  const binding = bindColumns(table, given);
  const open = new OpenColumns(binding, table.columns);
  const reader = canReadRows(binding, given) ? new RowReader(table, binding, given.mapping, lookup) : undefined;
  let rows = 0;
  for await (const chunk of table.chunks()) {
    const checked: CheckedRow[] = [];
    for (const row of chunk) {
      if (row.problem === undefined) open.add(row.cells);
      rows++;
      if (reader !== undefined) checked.push(reader.read(row, rows));
    }
    if (rows > MAX_ROWS)
      throw new UsageError(`${table.name} has more than ${formatCount(MAX_ROWS)} rows`, 'Split it into smaller files.');
    yield checked;
  }
  if (rows === 0) throw noPeople(table);
  const decisions = [...open.decisions(given), ...(reader?.decisions() ?? [])];
  return {
    totals: reader?.totals() ?? new PeopleCounter().totals([]),
    decisions,
    mapping: inEffect(table, binding, given),
    samples: reader?.samples ?? {},
  };
}

/** Returns the error of a list without people: a job that sends an empty export must not pass. */
function noPeople({ name }: Table): UsageError {
  return new UsageError(`${name} has no people`, 'Nothing was sent. Check how the list was exported.', 'invalid-list');
}

/** Returns the mapping in effect: the one that was given, with the columns that it reads and ignores in this list. */
function inEffect(table: Table, binding: Binding, { mapping }: GivenMapping): Mapping {
  const { isActive, ...fields } = binding.fields;
  const named = Object.entries(fields).map(([field, at]) => [field, table.columns[at] ?? '']);
  const ignored = mapping.ignored ?? ignoredNames(table, binding);
  // In a list that has only fields, the column of that name says who is active.
  const active = isActive === undefined ? undefined : { [table.columns[isActive] ?? '']: ['true'] };
  return {
    ...mapping,
    columns: { ...mapping.columns, ...Object.fromEntries(named) },
    ...(active !== undefined && { active }),
    ...(ignored.length > 0 && { ignored }),
  };
}

/** Reads rows with the columns of a list. Keeps what all rows share: user IDs and totals. */
class RowReader {
  readonly samples: Partial<Record<MemberField, FieldValue>> = {};
  readonly #missingSamples = new Set<MemberField>(MEMBER_FIELDS);
  readonly #table: Table;
  readonly #fields: Binding['fields'];
  readonly #mapping: Mapping;
  readonly #lookup: Lookup | undefined;
  readonly #statuses: readonly StatusReader[];
  readonly #isEveryoneActive: boolean;
  readonly #translations: Partial<Record<TranslatedField, Translations>>;
  /** The fewest cells of a CSV row: up to the user ID, the role, and each status. */
  readonly #leastCells: number;
  /** By user ID, the line of the first row with it. */
  readonly #lines = new Map<string, number>();
  readonly #people = new PeopleCounter();
  #hasOnlyAddresses = true;

  constructor(table: Table, { fields, active }: Binding, mapping: Mapping, lookup: Lookup | undefined) {
    this.#table = table;
    this.#fields = fields;
    this.#mapping = mapping;
    this.#lookup = lookup;
    const statuses = active === 'all' ? [] : (active ?? []);
    this.#statuses = statuses.map((status) => new StatusReader(status));
    this.#isEveryoneActive = active === 'all';
    this.#translations = { role: translations(mapping, 'role'), department: translations(mapping, 'department') };
    const needed = [fields.userId, fields.role, fields.isActive, ...statuses.map(({ column }) => column)];
    this.#leastCells = table.format === 'csv' ? Math.max(...needed.map((column) => (column ?? -1) + 1)) : 0;
  }

  read(row: Row, number: number): CheckedRow {
    const { line, cells } = row;
    const fields: Partial<Record<MemberField, FieldValue>> = {};
    const issues: RowIssue[] = [];
    const set = (field: MemberField, value: FieldValue | undefined | Rejected) => {
      if (value instanceof Rejected) {
        issues.push({ field, message: value.message });
        if (value.text !== undefined) fields[field] = value.text;
      } else if (value !== undefined) fields[field] = value;
      else if (field === 'userId' || field === 'role') issues.push({ field, message: `${field} is missing` });
    };
    const { userId, role, department, deviceMgmtLabelId } = this.#fields;
    set('userId', readUserId(cellAt(cells, userId), this.#table.format, this.#lookup));
    const isIdRead = issues.length === 0;
    set('role', this.#readWord(cellAt(cells, role), 'role'));
    set('department', this.#readWord(cellAt(cells, department), 'department'));
    this.#readActivity(cells, set);
    if (deviceMgmtLabelId !== undefined) set('deviceMgmtLabelId', readLabel(cells[deviceMgmtLabelId]));
    const problem = row.problem ?? this.#endsEarly(cells.length);
    // None of its values is certain, so the messages about them would mislead.
    if (problem !== undefined)
      return this.#invalid({ line, number, fields, issues: [{ message: `the row ${problem}` }] });
    if (isIdRead) this.#addId(String(fields.userId), line, issues);
    for (const status of this.#statuses) status.observe();
    if (issues.length > 0) return this.#invalid({ line, number, fields, issues });
    const member = fields as NewMember;
    this.#people.add(member);
    for (const status of this.#statuses) status.count();
    this.#keepSamples(member);
    return { line, number, member, fields: member, issues };
  }

  /** Keeps the first value of each field. */
  #keepSamples(member: NewMember): void {
    for (const field of this.#missingSamples) {
      const value = member[field];
      if (value === undefined) continue;
      this.samples[field] = value;
      this.#missingSamples.delete(field);
    }
  }

  #invalid(row: Omit<CheckedRow, 'member'>): CheckedRow {
    this.#people.invalid++;
    return { ...row, member: undefined };
  }

  /** A status, a role, or an ID behind the end of a row may be on the next line. Excel leaves out other blank cells. */
  #endsEarly(cells: number): string | undefined {
    if (cells >= this.#leastCells) return undefined;
    return `ends after ${cells} of ${this.#table.columns.length} cells, before ${quote(this.#table.columns[this.#leastCells - 1] ?? '')}`;
  }

  #readWord(cell: Row['cells'][number], field: TranslatedField): string | undefined | Rejected {
    return readWord(cell, field, this.#translations[field]) ?? this.#mapping.default?.[field];
  }

  #readActivity(cells: Row['cells'], set: (field: MemberField, value: boolean | undefined | Rejected) => void): void {
    const { isActive } = this.#fields;
    if (isActive !== undefined) set('isActive', readIsActive(cells[isActive]));
    else if (this.#isEveryoneActive) set('isActive', true);
    if (this.#statuses.length === 0) return;
    const said = this.#statuses.map((status) => status.read(cells));
    const rejected = said.filter((one) => one instanceof Rejected);
    if (rejected.length === 0) set('isActive', !said.includes(false));
    else for (const one of rejected) set('isActive', one);
  }

  #addId(id: string, line: number, issues: RowIssue[]): void {
    const first = this.#lines.get(id);
    this.#hasOnlyAddresses &&= id.includes('@');
    if (first === undefined) {
      this.#lines.set(id, line);
      return;
    }
    const place = this.#table.position === 'line' ? 'on line' : 'in row';
    issues.push({ field: 'userId', message: `duplicate userId (first ${place} ${first})` });
  }

  totals(): Totals {
    return this.#people.totals(this.#statuses);
  }

  /**
   * Returns what the values leave open.
   *
   * @throws UsageError if no row has one of the values of active people in a column
   */
  decisions(): Decision[] {
    const decisions: Decision[] = [];
    for (const status of this.#statuses) decisions.push(...status.decisions());
    if (this.#hasOnlyAddresses && this.#lines.size > 0 && this.#lookup === undefined)
      decisions.push({ kind: 'addresses', samples: [...this.#lines.keys()].slice(0, 3) });
    return decisions;
  }
}

function cellAt(cells: Row['cells'], column: number | undefined): Row['cells'][number] {
  return column === undefined ? undefined : cells[column];
}

function translations({ values }: Mapping, field: TranslatedField): Translations | undefined {
  const given = values?.[field];
  if (given === undefined) return undefined;
  return new Map(Object.entries(given).map(([from, to]) => [comparableText(from), sendableText(to)]));
}
