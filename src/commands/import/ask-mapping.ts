import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fieldForSpelling, type MemberField, normalizeSpelling } from '../../import/entry.ts';
import { type ListColumn, readColumns } from '../../import/list/columns.ts';
import { type ColumnsError, shorten, shownName, shownValues } from '../../import/list/columns-error.ts';
import { readBooleanWord } from '../../import/list/field-value.ts';
import { isPlaceholder } from '../../import/list/placeholders.ts';
import { type Choice, type PromptTerminal, promptChoice, promptChoices, promptText } from '../../output/prompt.ts';
import { quote } from '../../output/sanitize.ts';
import { OrgadmError, UsageError } from '../../util/errors.ts';
import { formatCount } from '../../util/units.ts';
import { type Context, promptTerminal } from '../command-context.ts';
import { completedCommand, typedCommand } from '../typed-command.ts';
import { columnsOf, type ListMapping, mergeMappings } from './list-mapping.ts';
import { fieldOptions, fitsOptions } from './suggested-commands.ts';

/** A mapping with the answers of a user. */
export interface AskedMapping {
  readonly mapping: ListMapping;
  /** The file to save it in; undefined if the user does not want one. */
  readonly file: string | undefined;
}

/**
 * Asks the user what the columns of a list mean, on standard error. Names and values decide nothing: pressing Enter accepts a
 * column only if its name is a spelling of the field, and never for the status.
 *
 * @param given the mapping so far; orgadm does not ask about its fields again
 * @param askedSheet the sheet that the user has just chosen
 * @throws OrgadmError if the user interrupts it, or ends the input
 */
export async function askMapping(
  error: ColumnsError,
  given: ListMapping,
  context: Context,
  askedSheet?: string,
): Promise<AskedMapping> {
  const dialog = new Dialog(error, given, context);
  const { output, argv } = context;
  output.note(error.message);
  await dialog.askUserId();
  await dialog.askRole();
  await dialog.askDepartment();
  await dialog.askStatus();
  const mapping = mergeMappings(given, dialog.answers());
  if (fitsOptions(mapping)) {
    const sheet = askedSheet === undefined ? [] : ['--sheet', askedSheet];
    const options = [...sheet, ...fieldOptions(dialog.answers())];
    output.note(`To give the same answers without questions:\n${typedCommand(argv, options)}`);
  }
  return { mapping, file: await dialog.askFile() };
}

const [COLUMN, VALUE] = ['column ', 'value '];
const [EVERYONE, NONE, ACTIVE, INACTIVE] = ['everyone', 'none', 'active', 'inactive'];
const [AS_THEY_ARE, LOOK_UP, BY_VALUE] = ['as they are', 'look up', 'by value'];

const HINT_WIDTH = 60;
const VALUE_WIDTH = 60;

/** The questions about one list, and the answers so far. */
class Dialog {
  readonly #columns: readonly ListColumn[];
  readonly #decisions: ColumnsError['decisions'];
  readonly #given: ListMapping;
  readonly #argv: readonly string[];
  readonly #terminal: PromptTerminal;
  readonly #map: Partial<Record<MemberField, string>> = {};
  readonly #lookups: NonNullable<ListMapping['lookups']> = {};
  readonly #defaults: NonNullable<ListMapping['defaults']> = {};
  readonly #omit: MemberField[] = [];
  #values: Readonly<Record<string, string>> = {};
  /** Columns that were chosen for a field. */
  readonly #taken = new Set<string>();

  constructor({ columns, decisions }: ColumnsError, given: ListMapping, context: Context) {
    this.#columns = columns;
    this.#decisions = decisions;
    this.#given = given;
    for (const source of Object.values(given.columns ?? {}).flat()) this.#taken.add(source.replace(/^!/, ''));
    this.#argv = context.argv;
    this.#terminal = promptTerminal('nothing was sent', context);
  }

  /** Returns the answers. Every other column is ignored: the user has seen it. */
  answers(): ListMapping {
    const isActive = this.#values;
    return {
      columns: this.#map,
      lookups: this.#lookups,
      defaults: this.#defaults,
      omit: this.#omit,
      values: Object.keys(isActive).length === 0 ? {} : { isActive },
      ignoreExtraColumns: true,
    };
  }

  async askUserId(): Promise<void> {
    if (!this.#isGiven('userId')) {
      const answer = await this.#ask('Which column has the user IDs?', this.#choices(), this.#spelled('userId'));
      this.#setColumn('userId', answer);
    }
    const column = this.#columnOf('userId');
    if (column?.hasAddresses && this.#given.lookups?.userId === undefined) await this.#askLookup();
  }

  async askRole(): Promise<void> {
    if (this.#isGiven('role')) return;
    const everyone = { value: EVERYONE, label: 'The same role for everyone' };
    const answer = await this.#ask(
      'Which column has the roles?',
      [...this.#choices(), everyone],
      this.#spelled('role'),
    );
    if (answer !== EVERYONE) return this.#setColumn('role', answer);
    this.#omitColumn('role');
    this.#defaults.role = await this.#askLine('Role for everyone:');
  }

  async askDepartment(): Promise<void> {
    if (this.#isGiven('department') || this.#given.omit?.includes('department')) return;
    const none = { value: NONE, label: 'None: add people without a department' };
    const choices = [...this.#choices(), none];
    const answer = await this.#ask('Which column has the departments?', choices, this.#spelled('department'));
    if (answer === NONE) this.#omitColumn('department');
    else this.#setColumn('department', answer);
  }

  async askStatus(): Promise<void> {
    if (this.#given.defaults?.isActive !== undefined) return;
    if (this.#isGiven('isActive')) return this.#askBlank(this.#columnOf('isActive'));
    const everyone = { value: EVERYONE, label: 'None: everyone in the list is active' };
    const answer = await this.#ask('Which column says who is active?', [...this.#choices(), everyone]);
    if (answer === EVERYONE) {
      this.#omitColumn('isActive');
      this.#defaults.isActive = 'true';
      return;
    }
    this.#setColumn('isActive', answer);
    const column = this.#columnOf('isActive');
    if (column === undefined) return;
    if (column.hasMore) await this.#askFilled(column);
    else await this.#askActiveValues(column);
  }

  async askFile(): Promise<string | undefined> {
    const question = 'Save the answers as a mapping file? Type its name, or press Enter to skip:';
    const file = await promptText(question, this.#terminal, {
      missing: 'not all questions were answered',
      validate: (name) => {
        if (name === '') return undefined;
        if (existsSync(name)) return `${shorten(name, VALUE_WIDTH)} already exists.`;
        const folder = dirname(resolve(name));
        return existsSync(folder) ? undefined : `The folder ${shorten(folder, VALUE_WIDTH)} does not exist.`;
      },
    });
    return file === '' ? undefined : file;
  }

  /** Asks for the values of a status that mean active. */
  async #askActiveValues(column: ListColumn): Promise<void> {
    // Translations ignore case.
    const values = [...new Map(column.values.map((text) => [text.toLowerCase(), text])).values()];
    if (values.length > 0) {
      const active = new Set(await this.#askValues(column, values));
      if (!values.every((text) => readBooleanWord(text) === active.has(text)))
        this.#values = Object.fromEntries(values.map((text) => [text, String(active.has(text))]));
    }
    await this.#askBlank(column);
  }

  /** Returns the values that mean active. */
  async #askValues(column: ListColumn, values: readonly string[]): Promise<readonly string[]> {
    const none = { value: NONE, label: 'None of these values' };
    const choices = values.map((text) => ({ value: VALUE + text, label: shorten(text, VALUE_WIDTH) }));
    const question = `Which values of ${shorten(column.name, VALUE_WIDTH)} mean active?`;
    for (let problem = ''; ; problem = ' Choose values or "None of these values", not both.') {
      const chosen = await promptChoices(`${question}${problem}`, [...choices, none], this.#terminal);
      if (!chosen.includes(NONE)) return chosen.map((answer) => answer.slice(VALUE.length));
      if (chosen.length === 1) return [];
    }
  }

  /** Asks what a column of many values says: those of a column with the days when people left mean inactive. */
  async #askFilled(column: ListColumn): Promise<void> {
    const name = shorten(column.name, VALUE_WIDTH);
    const answer = await this.#ask(`${name} has more than 12 values. Who is active?`, [
      { value: ACTIVE, label: `People for whom ${name} is blank` },
      { value: INACTIVE, label: `People for whom ${name} is not blank` },
      { value: BY_VALUE, label: 'It depends on the value' },
    ]);
    if (answer === BY_VALUE) throw this.#manyValues(column);
    this.#values = { '*': String(answer === INACTIVE) };
    this.#defaults.isActive = String(answer === ACTIVE);
  }

  /** Returns the error for a status whose values only options can translate, with the answers so far. */
  #manyValues({ name }: ListColumn): UsageError {
    const answers = { ...this.answers(), values: { isActive: { '<value>': 'true', '*': 'false' } } };
    return new UsageError(
      `orgadm asks about at most 12 values, and ${quote(name)} has more; nothing was sent`,
      `Say which values mean active, then check the result:\n${completedCommand(this.#argv, fieldOptions(answers))}`,
      'bad-columns',
    );
  }

  async #askBlank(column: ListColumn | undefined): Promise<void> {
    if (column === undefined || column.blank === 0) return;
    const people = column.blank === 1 ? '1 person' : `${formatCount(column.blank)} people`;
    const answer = await this.#ask(
      `${shorten(column.name, VALUE_WIDTH)} is blank for ${people}. What does that mean?`,
      [
        { value: ACTIVE, label: 'Active' },
        { value: INACTIVE, label: 'Inactive' },
      ],
    );
    this.#defaults.isActive = String(answer === ACTIVE);
  }

  /** Asks for a second list with the service's IDs, because all IDs are email addresses. */
  async #askLookup(): Promise<void> {
    const answer = await this.#ask('All user IDs are email addresses. Which IDs does your service use?', [
      { value: LOOK_UP, label: 'IDs in a second list that also has the addresses' },
      { value: AS_THEY_ARE, label: 'The email addresses' },
    ]);
    if (answer === AS_THEY_ARE) return;
    const { file, columns } = await this.#askSecondList();
    const choices = columns.map((column) => columnChoice(column));
    const from = nameOf(await this.#ask('Which of its columns has the email addresses?', choices));
    const to = nameOf(await this.#ask('Which of its columns has the user IDs?', choices));
    this.#lookups.userId = { file, from, to };
  }

  async #askSecondList(): Promise<{ file: string; columns: readonly ListColumn[] }> {
    for (let problem = ''; ; ) {
      const file = resolve(await this.#askLine(`${problem}Path of the second list:`));
      try {
        return { file, columns: await readColumns(file) };
      } catch (error) {
        if (!(error instanceof OrgadmError)) throw error;
        problem = `${error.message}. `;
      }
    }
  }

  #askLine(question: string): Promise<string> {
    return promptText(question, this.#terminal, {
      missing: 'not all questions were answered',
      validate: (answer) => (answer === '' || isPlaceholder(answer) ? 'Type an answer.' : undefined),
    });
  }

  /** @param suggested the answer that pressing Enter accepts, if it is one of the choices */
  #ask(question: string, choices: readonly Choice<string>[], suggested?: string): Promise<string> {
    const isChoice = choices.some(({ value }) => value === suggested);
    return promptChoice(question, choices, this.#terminal, isChoice ? suggested : undefined);
  }

  /** Whether the options name a column or a value for a field, or have decided about all columns without it. */
  #isGiven(field: MemberField): boolean {
    const { fields, others } = this.#decisions;
    const isNamed = this.#given.columns?.[field] !== undefined || this.#given.defaults?.[field] !== undefined;
    return isNamed || (others.length === 0 && !fields.includes(field));
  }

  /** Returns the columns that no other field is read from. */
  #choices(): Choice<string>[] {
    return this.#columns.filter(({ name }) => !this.#taken.has(name)).map((column) => columnChoice(column));
  }

  /** Returns the answer that names the column of a field's own name; undefined if there is none, or more than one. */
  #spelled(field: MemberField): string | undefined {
    const [column, second] = this.#columns.filter(({ name }) => fieldForSpelling(name) === field);
    return column === undefined || second !== undefined ? undefined : COLUMN + column.name;
  }

  /** Maps a field, unless its own name finds the column. */
  #setColumn(field: MemberField, answer: string): void {
    this.#taken.add(nameOf(answer));
    if (answer !== this.#spelled(field)) this.#map[field] = nameOf(answer);
  }

  /** Leaves out the columns of a field's own name, because no column has the field. */
  #omitColumn(field: MemberField): void {
    const isSpelled = ({ name }: ListColumn) => fieldForSpelling(name) === field && !this.#taken.has(name);
    if (this.#columns.some(isSpelled)) this.#omit.push(field);
  }

  #columnOf(field: MemberField): ListColumn | undefined {
    const named =
      this.#map[field] ?? columnsOf(this.#given, field)[0]?.replace(/^!/, '') ?? nameOf(this.#spelled(field) ?? '');
    const isNamed = (name: string) => normalizeSpelling(name) === normalizeSpelling(named);
    return this.#columns.find(({ name }) => name === named) ?? this.#columns.find(({ name }) => isNamed(name));
  }
}

function columnChoice(column: ListColumn): Choice<string> {
  const hint = shorten(shownValues(column), HINT_WIDTH);
  return { value: COLUMN + column.name, label: shownName(column), ...(hint !== '' && { hint }) };
}

function nameOf(answer: string): string {
  return answer.slice(COLUMN.length);
}
