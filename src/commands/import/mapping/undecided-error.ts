import { delimiterQuestion } from '../../../import/check/bind-columns.ts';
import type { ColumnSample, Decision } from '../../../import/check/decisions.ts';
import type { Table } from '../../../import/table/table.ts';
import { cleanLine, quote } from '../../../output/sanitize.ts';
import { UsageError } from '../../../util/errors.ts';
import { showHidden } from '../../../util/hidden-characters.ts';
import { countOf, formatCount } from '../../../util/units.ts';
import { comparableText } from '../../../util/visible-text.ts';

/** Columns that the error shows. */
const MAX_COLUMNS = 20;
const MAX_SAMPLE_WIDTH = 60;

/**
 * Returns the error about what a mapping leaves open: the columns with samples, and the options, or the entries of the mapping
 * file, that decide about them.
 *
 * @param decisions the required ones, at least one
 * @param file the file of `--mapping`
 */
export function undecidedError(decisions: readonly Decision[], table: Table, file: string | undefined): UsageError {
  const values = decisions.find((one) => one.kind === 'values');
  if (values !== undefined && decisions.every(({ kind }) => kind === 'values'))
    return unknownValues(decisions, file ?? 'the mapping');
  const kinds = new Set(decisions.map(({ kind }) => kind));
  const found = [...new Map(decisions.flatMap(columnsOf).map((column) => [column.name, column])).values()];
  const others = decisions.flatMap((one) => (one.kind === 'columns' ? one.columns : []));
  // It is a field, but a list with other columns may say who is active in one of those.
  const status = found.find((column) => comparableText(column.name) === 'isactive' && !others.includes(column));
  const columns = found.filter((column) => column !== status);
  const message =
    others.length > 0
      ? file === undefined
        ? `orgadm does not recognize ${others.length === 1 ? 'this column' : 'these columns'} of ${table.name}:`
        : `${file} does not name ${others.length === 1 ? 'this column' : 'these columns'} of ${table.name}:`
      : kinds.has('userId') || kinds.has('role')
        ? `${table.name} has no column for ${kinds.has('userId') ? 'userId' : 'role'}`
        : `orgadm cannot tell who is active, because it does not recognize ${columns.length === 1 ? 'this column' : 'these columns'} of ${table.name}:`;
  const hint = file === undefined ? optionsHint(kinds, others.length, status?.name) : fileHint(kinds, others, file);
  return new UsageError(
    [message, ...columnLines(columns)].join('\n'),
    `${hint}${delimiterQuestion(table)}`,
    'bad-columns',
  );
}

function columnsOf(decision: Decision): readonly ColumnSample[] {
  return 'columns' in decision ? decision.columns : [];
}

/** `Status     ACTIVE, SUSPENDED` */
function columnLines(columns: readonly ColumnSample[]): string[] {
  const shown = columns.slice(0, MAX_COLUMNS).map(({ name, samples, counts }) => {
    const hasMore = (counts?.filter(([value]) => value !== '').length ?? Number.POSITIVE_INFINITY) > samples.length;
    return [
      name === '' ? '(no name)' : cleanLine(showHidden(name)),
      `${shorten(samples.map(cleanLine).join(', '))}${hasMore ? ', …' : ''}`,
    ];
  });
  const width = Math.max(0, ...shown.map(([name = '']) => name.length));
  const more = columns.length - shown.length;
  return [
    ...shown.map(([name = '', samples = '']) => `${name.padEnd(width)}  ${samples}`),
    ...(more > 0 ? [`and ${countOf(more, 'more column')}`] : []),
  ];
}

function shorten(text: string): string {
  return text.length > MAX_SAMPLE_WIDTH ? `${text.slice(0, MAX_SAMPLE_WIDTH)}…` : text;
}

/** @param status the column isActive, if the list has it */
function optionsHint(kinds: ReadonlySet<Decision['kind']>, others: number, status: string | undefined): string {
  const isActive = status === undefined ? '' : `--active ${status}=true, `;
  const parts = [
    ...(kinds.has('userId') ? ['which column has the user IDs (--map userId=<column>)'] : []),
    ...(kinds.has('role')
      ? ['which role people have (--map role=<column>, or --default role=<role> for everyone)']
      : []),
    ...(kinds.has('active') ? [`who is active (${isActive}--active <column>=<value>, or --active all)`] : []),
  ];
  const said = parts.length === 0 ? '' : `Say ${new Intl.ListFormat('en-US').format(parts)}.`;
  const mapped =
    others === 0
      ? ''
      : ` Map ${parts.length > 0 && others > 1 ? 'the other columns' : others === 1 ? 'the column' : 'the columns'} to ${others === 1 ? 'a field' : 'fields'} (--map department=<column>), or ignore ${others === 1 ? 'it' : 'them'} (--ignore-extra-columns).`;
  return `${said}${mapped}`.trim();
}

function fileHint(kinds: ReadonlySet<Decision['kind']>, others: readonly ColumnSample[], file: string): string {
  const parts = [
    ...(kinds.has('userId') ? ['{"columns": {"userId": "<column>"}}'] : []),
    ...(kinds.has('role') ? ['{"columns": {"role": "<column>"}} or {"default": {"role": "<role>"}}'] : []),
    ...(kinds.has('active') ? ['{"active": {"<column>": ["<value>"]}} or {"active": "all"}'] : []),
    ...(others.length > 0 ? [`{"ignored": [${others.map(({ name }) => quote(name)).join(', ')}]}`] : []),
  ];
  return `Add to ${file}: ${parts.join(', ')}.`;
}

/** Returns the error about statuses that a mapping file does not explain. */
function unknownValues(decisions: readonly Decision[], file: string): UsageError {
  const columns = decisions.flatMap((one) => (one.kind === 'values' ? [one] : []));
  const shown = columns.map(({ column, values }) => {
    const counted = values
      .slice(0, MAX_COLUMNS)
      .map(([value, count]) => `${value === '' ? 'blank' : quote(value)} (${formatCount(count)})`);
    return `${quote(column)}: ${counted.join(', ')}`;
  });
  const entries = columns.map(
    ({ column, values }) =>
      `${quote(column)}: [${values
        .slice(0, MAX_COLUMNS)
        .map(([value]) => quote(value))
        .join(', ')}]`,
  );
  return new UsageError(
    `${file} does not say whether people with these values are active: ${shown.join('; ')}`,
    `Add them to "active" or "inactive" of ${file}: {"inactive": {${entries.join(', ')}}}`,
    'bad-columns',
  );
}
