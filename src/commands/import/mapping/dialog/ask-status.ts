import { basename } from 'node:path';
import type { SampledColumn } from '../../../../import/list/columns/describe-columns.ts';
import { readBooleanWord } from '../../../../import/list/fields/field-value.ts';
import { sourcesOf } from '../../../../import/mapping.ts';
import { quote } from '../../../../output/sanitize.ts';
import { UsageError } from '../../../../util/errors.ts';
import { formatCount } from '../../../../util/units.ts';
import { comparableText } from '../../../../util/visible-text.ts';
import { completedCommand } from '../../../typed-command.ts';
import { fieldOptions } from '../mapping-flags.ts';
import { type FieldAnswer, hasSpelledColumn, mappingFrom } from './answers.ts';
import { columnChoices, type Dialog, givenColumns, isDecided } from './dialog.ts';
import { nameOf, quoteColumn, quoteText, shortenText } from './questions.ts';

const [AS_BEFORE, EVERYONE, NOBODY] = ['as before', 'everyone', 'nobody'];
const [ACTIVE, INACTIVE, BY_VALUE] = ['active', 'inactive', 'by value'];

const VALUE_WIDTH = 30;

/**
 * Asks who is active. Enter accepts no answer, unless the user has given it before. If a mapping file has an answer, orgadm asks
 * all the same, because it was about a list without the new columns.
 */
export async function askStatus(dialog: Dialog): Promise<void> {
  const { columns, decisions, mappingFile, questions, answers } = dialog;
  if (answers.has('isActive')) return;
  const hasNewColumns = mappingFile !== undefined && decisions.others.length > 0;
  if (!hasNewColumns && isDecided('isActive', dialog)) return askBlankOfGiven(dialog);
  const isKnown = mappingFile !== undefined && !decisions.fields.includes('isActive');
  const answer = await questions.choose('Which column says who is active?', [
    ...(isKnown ? [{ value: AS_BEFORE, label: `As in ${basename(mappingFile)}: ${describeGiven(dialog)}` }] : []),
    ...columnChoices('isActive', dialog),
    { value: EVERYONE, label: 'None: everyone in the list is active' },
    { value: NOBODY, label: 'None: nobody in the list is active' },
  ]);
  if (answer === AS_BEFORE) {
    answers.set('isActive', { shown: describeGiven(dialog) });
    return askBlankOfGiven(dialog);
  }
  if (answer !== EVERYONE && answer !== NOBODY) return answerStatus(nameOf(answer), dialog);
  answers.set('isActive', {
    default: String(answer === EVERYONE),
    isOmitted: hasSpelledColumn('isActive', columns),
    replaces: true,
    shown: `${answer} is active`,
  });
}

/**
 * Records the column that says who is active, and asks what its values mean. The answers replace a translation of the options,
 * except a second list, which a mapping file may have for another column.
 */
export async function answerStatus(name: string, dialog: Dialog): Promise<void> {
  const { columns, given, mappingFile, answers } = dialog;
  const column = columns.find((known) => known.name === name);
  if (column === undefined) return;
  if (mappingFile === undefined && given.lookups?.isActive !== undefined) {
    const blank = await askBlank(column, dialog);
    const shown = describeStatus(quoteColumn(column), given.values?.isActive ?? {}, blank);
    answers.set('isActive', { ...(blank !== undefined && { default: blank }), column: name, shown });
    return;
  }
  const said = column.hasMore ? await askFilled(column, dialog) : await askActiveValues(column, dialog);
  answers.set('isActive', { ...said, column: name, replaces: true });
}

/** Asks what a blank means in the column that the options name, if they do not say it. */
async function askBlankOfGiven(dialog: Dialog): Promise<void> {
  const { decisions, given, answers } = dialog;
  if (decisions.blankStatuses === 0 || given.defaults?.isActive !== undefined) return;
  const column = givenColumns('isActive', dialog)[0];
  const blank = column && (await askBlank(column, dialog));
  if (blank !== undefined) answers.set('isActive', { default: blank, shown: describeGiven(dialog, blank) });
}

/** Describes what the options say about the status. */
function describeGiven(dialog: Dialog, blank = dialog.given.defaults?.isActive): string {
  const { given } = dialog;
  const [found] = givenColumns('isActive', dialog);
  const sources = sourcesOf(given, 'isActive').map(
    ({ name, isInverted }) => `${isInverted ? 'not ' : ''}${quoteText(name)}`,
  );
  if (sources.length === 0 && found === undefined) return `${blank === 'false' ? NOBODY : EVERYONE} is active`;
  const column = sources.length > 0 || found === undefined ? sources.join(' and ') : quoteColumn(found);
  return describeStatus(column, given.values?.isActive ?? {}, blank);
}

/** Returns `"Status" (active: ACTIVE; inactive: SUSPENDED, blank)`. */
function describeStatus(column: string, values: Readonly<Record<string, string>>, blank: string | undefined): string {
  const meanings = [...Object.entries(values), ...(blank === undefined ? [] : [['blank', blank] as const])];
  const groups = [...new Set(meanings.map(([, isActive]) => isActive))].map((isActive) => {
    const texts = meanings.filter(([, other]) => other === isActive).map(([text]) => text);
    const shown = texts.map((text) => (text === ANY_VALUE ? 'any other value' : shortenText(text, VALUE_WIDTH)));
    return `${readBooleanWord(isActive) ? ACTIVE : INACTIVE}: ${shown.join(', ')}`;
  });
  return groups.length === 0 ? column : `${column} (${groups.join('; ')})`;
}

const NO_VALUES = 'None of these values';

/** Asks for the values of a status that mean active, and for what a blank means. */
async function askActiveValues(column: SampledColumn, dialog: Dialog): Promise<FieldAnswer> {
  const name = quoteColumn(column);
  const values = [...new Map(column.values.map((text) => [comparableText(text), text])).values()];
  if (values.includes(ANY_VALUE)) throw namedAsAny(name);
  const active =
    values.length === 0
      ? []
      : await dialog.questions.chooseValues(`Which values of ${name} mean active?`, values, NO_VALUES);
  const isBoolean = values.every((text) => PLAIN_BOOLEAN.test(text) && readBooleanWord(text) === active.includes(text));
  const blank = await askBlank(column, dialog);
  const meanings = Object.fromEntries(values.map((text) => [text, String(active.includes(text))]));
  return {
    ...(!isBoolean && { values: meanings }),
    ...(blank !== undefined && { default: blank }),
    shown: describeStatus(name, meanings, blank),
  };
}

/**
 * Values that need no translation if they mean what they say. Next to words such as `active`, an export of next month may have others,
 * which must not be read without an answer: `T` can mean terminated.
 */
const PLAIN_BOOLEAN = /^(?:true|false|yes|no|[01tfyn])$/i;

/** Stands for all other values in a translation. */
const ANY_VALUE = '*';

/** Returns the error for a value that a translation cannot name. */
function namedAsAny(column: string): UsageError {
  return new UsageError(
    `${column} has the value "${ANY_VALUE}", which stands for any other value in translations; nothing was sent`,
    'Replace it with a word in the list.',
    'bad-columns',
  );
}

/** Asks what a column of many values says: those of a column with the days when people left mean inactive. */
async function askFilled(column: SampledColumn, dialog: Dialog): Promise<FieldAnswer> {
  const name = quoteColumn(column);
  const answer = await dialog.questions.choose(`${name} has more than 12 values. Who is active?`, [
    { value: ACTIVE, label: `People for whom ${name} is blank` },
    { value: INACTIVE, label: `People for whom ${name} is not blank` },
    { value: BY_VALUE, label: 'It depends on the value' },
  ]);
  if (answer === BY_VALUE) throw manyValues(column, dialog);
  const blank = String(answer === ACTIVE);
  const values = { [ANY_VALUE]: String(answer === INACTIVE) };
  return { values, default: blank, shown: describeStatus(name, values, blank) };
}

/** Returns the error for a status whose values only options can translate, with the answers so far. */
function manyValues({ name }: SampledColumn, { answers, columns, given, context }: Dialog): UsageError {
  const status: FieldAnswer = { column: name, values: { '<value>': 'true', '*': 'false' }, shown: '' };
  const options = fieldOptions(mappingFrom(new Map([...answers, ['isActive', status]]), columns, given));
  return new UsageError(
    `orgadm asks about at most 12 values, and ${quote(name)} has more; nothing was sent`,
    `Say which values mean active, then check the result:\n${completedCommand(context.argv, options)}`,
    'bad-columns',
  );
}

/** Returns whether people with a blank status are active, as text; undefined if there are none. */
async function askBlank(column: SampledColumn, { questions }: Dialog): Promise<string | undefined> {
  const { blank } = column;
  if (blank === 0) return undefined;
  const name = quoteColumn(column);
  const question =
    blank === 1
      ? `${name} is blank for 1 person. Is that person active?`
      : `${name} is blank for ${formatCount(blank)} people. Are they active?`;
  const answer = await questions.choose(question, [
    { value: ACTIVE, label: 'Active' },
    { value: INACTIVE, label: 'Inactive' },
  ]);
  return String(answer === ACTIVE);
}
