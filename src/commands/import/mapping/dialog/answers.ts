import type { SampledColumn } from '../../../../import/list/columns/describe-columns.ts';
import { type LookupSource, type Mapping, sourcesOf } from '../../../../import/mapping.ts';
import { fieldForSpelling, MEMBER_FIELDS, type MemberField, normalizeSpelling } from '../../../../import/new-member.ts';
import { withoutFields } from '../merge-mappings.ts';

/** What the user has said about a field. */
export interface FieldAnswer {
  /** Its column. */
  readonly column?: string;
  readonly lookup?: LookupSource;
  /** Translated values. */
  readonly values?: Readonly<Record<string, string>>;
  readonly default?: string;
  /** Whether no column has it, even if one has its name. */
  readonly isOmitted?: boolean;
  /** Whether it replaces everything that the options say about the field. */
  readonly replaces?: boolean;
  /** The answer in words, for the summary. */
  readonly shown: string;
}

/** The answers about a list, by field. */
export type Answers = ReadonlyMap<MemberField, FieldAnswer>;

/**
 * Returns the answers as a mapping. It maps no column that its own name finds. All other columns are ignored: the user has seen
 * them.
 *
 * @param given the mapping that the answers are added to
 */
export function mappingFrom(answers: Answers, columns: readonly SampledColumn[], given: Mapping): Mapping {
  const fields = [...answers];
  const chosen = fields.flatMap(([, { column }]) => column ?? []);
  const named = MEMBER_FIELDS.flatMap((field) => sourcesOf(given, field).map(({ name }) => name));
  const isShared = (column: string) => [...chosen, ...named].filter((name) => name === column).length > 1;
  const parts = <K extends 'column' | 'lookup' | 'default' | 'values'>(part: K) =>
    fields.flatMap(([field, answer]) => (answer[part] === undefined ? [] : [[field, answer[part]] as const]));
  return {
    columns: Object.fromEntries(
      parts('column').filter(([field, column]) => spelledColumn(field, columns) !== column || isShared(column)),
    ),
    lookups: Object.fromEntries(parts('lookup')),
    values: Object.fromEntries(parts('values')),
    defaults: Object.fromEntries(parts('default')),
    omit: fields.flatMap(([field, { isOmitted }]) => (isOmitted ? [field] : [])),
    ignoreExtraColumns: true,
  };
}

/** Returns the mapping without what it says about the fields whose answers replace it. */
export function withoutReplaced(given: Mapping, answers: Answers): Mapping {
  return withoutFields(given, (field) => answers.get(field)?.replaces ?? false);
}

/** Returns the column that orgadm reads a field from without an option; undefined if there is none, or more than one. */
export function spelledColumn(field: MemberField, columns: readonly SampledColumn[]): string | undefined {
  const [column, second] = columns.filter(({ name }) => fieldForSpelling(name) === field);
  if (column === undefined || second !== undefined) return undefined;
  // Other spellings, such as "active", do not decide who is active.
  const isDecision = field !== 'isActive' || normalizeSpelling(column.name) === 'isactive';
  return isDecision ? column.name : undefined;
}

/** Whether any column has a name of the field. */
export function hasSpelledColumn(field: MemberField, columns: readonly SampledColumn[]): boolean {
  return columns.some(({ name }) => fieldForSpelling(name) === field);
}

const SUMMARY_LABELS: Readonly<Record<MemberField, string>> = {
  userId: 'User IDs',
  role: 'Roles',
  department: 'Departments',
  isActive: 'Status',
  deviceMgmtLabelId: 'Device labels',
};

/** A line of the summary. */
export type SummaryLine = readonly [label: string, shown: string];

/**
 * Returns a summary of the answers, one a line.
 *
 * @param first the answers about the list
 * @param last the columns that are left
 */
export function summaryOf(first: readonly SummaryLine[], answers: Answers, last: readonly SummaryLine[]): string[] {
  const fields = MEMBER_FIELDS.flatMap((field) => {
    const answer = answers.get(field);
    return answer === undefined ? [] : [[SUMMARY_LABELS[field], answer.shown] as const];
  });
  const lines = [...first, ...fields, ...last];
  const width = Math.max(...lines.map(([label]) => label.length));
  return lines.map(([label, shown]) => `${label.padEnd(width)}  ${shown}`);
}
