import type { ColumnSample } from '../../../import/check/decisions.ts';
import { Rejected } from '../../../import/check/read-cell-text.ts';
import { readWord } from '../../../import/check/read-field.ts';
import type { TranslatedField } from '../../../import/mapping.ts';
import {
  autocomplete,
  type Choice,
  multiselect,
  type PromptTerminal,
  select,
  typedText,
} from '../../../output/prompt.ts';
import { quote } from '../../../output/sanitize.ts';
import { columnChoices, columnName, countedValues, renderValue, valueChoices } from './column-choices.ts';

/** Where roles or departments come from. */
export interface WordAnswer {
  /** Null if no column has them. */
  readonly column: string | null;
  /** Translations of its values. */
  readonly values?: Readonly<Record<string, string>>;
  /** The one of everyone. */
  readonly everyone?: string;
}

/** The columns that may have the roles, or the departments. */
export interface WordColumns {
  readonly columns: readonly ColumnSample[];
  /** The column with the name of the field: only its values are open. */
  readonly named: ColumnSample | undefined;
}

/** Asks which column has the roles, or which role everyone has. */
export async function askRole({ columns, named }: WordColumns, terminal: PromptTerminal): Promise<WordAnswer> {
  const known = named && (await askValues('role', named, terminal));
  if (known !== undefined) return known;
  const everyone = { value: 'everyone', label: 'One role for everyone' };
  for (;;) {
    const question = 'Which column has the roles?';
    const choice = await autocomplete(question, [everyone, ...columnChoices(columns)], terminal);
    const column = columns[Number(choice)];
    if (column === undefined)
      return { column: null, everyone: await typedText('Role of everyone:', wordCheck('role', true), terminal) };
    const answer = await askValues('role', column, terminal);
    if (answer !== undefined) return answer;
  }
}

/** Asks which column has the departments, if any. */
export async function askDepartment({ columns, named }: WordColumns, terminal: PromptTerminal): Promise<WordAnswer> {
  if (named !== undefined) return (await askValues('department', named, terminal)) ?? { column: null };
  const none = { value: 'none', label: 'None: import no departments' };
  const question = 'Which column has the departments?';
  const choice = await autocomplete(question, [none, ...columnChoices(columns)], terminal);
  const column = columns[Number(choice)];
  const answer = column && (await askValues('department', column, terminal));
  return answer ?? { column: null };
}

const VALUE_CHOICES: readonly Choice<'as-is' | 'translate' | 'leave-out'>[] = [
  { value: 'as-is', label: 'Send them as they are' },
  { value: 'translate', label: 'Translate some' },
  { value: 'leave-out', label: 'Leave it out' },
];

/** Values that a question shows. */
const MAX_SHOWN = 8;

/** Shows the values of a column, and asks what to send. Returns undefined to leave the column out. */
async function askValues(
  field: TranslatedField,
  column: ColumnSample,
  terminal: PromptTerminal,
): Promise<WordAnswer | undefined> {
  const { name } = column;
  const values = countedValues(column) ?? [];
  const shown = values.slice(0, MAX_SHOWN).map(renderValue);
  const more = values.length > shown.length || values.length === 0 ? ', …' : '';
  const list = `${shown.length > 0 ? shown.join(', ') : column.samples.join(', ')}${more}`;
  const filled = values.filter(({ value }) => value !== '');
  const choices = filled.length > 0 ? VALUE_CHOICES : VALUE_CHOICES.filter(({ value }) => value !== 'translate');
  const choice = await select(`${columnName(name)}: ${list}`, choices, terminal);
  if (choice === 'leave-out') return undefined;
  if (choice === 'as-is') return { column: name };
  const translated: Record<string, string> = {};
  const chosen = await multiselect('Which ones?', valueChoices(filled), terminal);
  for (const at of chosen) {
    const { value } = filled[Number(at)] ?? { value: '' };
    const question =
      field === 'role'
        ? `Send ${quote(value)} as the role:`
        : `Send ${quote(value)} as the department (blank for none):`;
    translated[value] = await typedText(question, wordCheck(field, field === 'role'), terminal);
  }
  return { column: name, values: translated };
}

/** Checks a typed role or department by the rule for those of a list. */
function wordCheck(field: TranslatedField, isRequired: boolean): (answer: string) => string | undefined {
  return (answer) => {
    if (answer === '') return isRequired ? `Type a ${field}.` : undefined;
    const word = readWord(answer, field, undefined);
    return word instanceof Rejected ? word.message : undefined;
  };
}
