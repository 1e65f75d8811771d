import type { SampledColumn } from '../../../../import/list/columns/describe-columns.ts';
import { shorten, shownName, shownValues } from '../../../../import/list/columns/describe-columns.ts';
import { isPlaceholder } from '../../../../import/list/columns/placeholders.ts';
import { type Choice, promptChoice, promptChoices, promptText } from '../../../../output/prompt.ts';
import { showHidden } from '../../../../util/hidden-characters.ts';
import { sendableText } from '../../../../util/visible-text.ts';
import { type Context, promptTerminal } from '../../../command-context.ts';

/** Terminal columns of a name or a value in a question, and of the values of a column. */
const NAME_WIDTH = 60;
const VALUES_WIDTH = 60;

const MISSING = 'not all questions were answered';

/** Asks questions. If the user goes through them again, the earlier answers are the defaults. */
export class Questions {
  readonly #terminal: ReturnType<typeof promptTerminal>;
  /** The last answers, by question. */
  readonly #answers = new Map<string, string | readonly string[]>();

  readonly #output: Context['output'];
  /** The last note. */
  #note = '';

  constructor(context: Context) {
    this.#output = context.output;
    this.#terminal = promptTerminal('nothing was sent', context);
  }

  /** Shows what the next questions are about, unless it is what the last ones were about. */
  note(message: string): void {
    if (message !== this.#note) this.#output.note(message);
    this.#note = message;
  }

  /**
   * Asks for one of several answers. Returns the only one without asking.
   *
   * @param suggested the answer that pressing Enter accepts, if it is one of the choices
   */
  async choose<T extends string>(question: string, choices: readonly Choice<T>[], suggested?: T): Promise<T> {
    const initial = this.#answers.get(question) ?? suggested;
    const known = choices.find(({ value }) => value === initial);
    const answer = await this.chooseAnew(question, choices, known?.value);
    this.#answers.set(question, answer);
    return answer;
  }

  /** The same, whatever the user has answered before. */
  async chooseAnew<T extends string>(question: string, choices: readonly Choice<T>[], suggested?: T): Promise<T> {
    const [only, second] = choices;
    if (only !== undefined && second === undefined) return only.value;
    return promptChoice(question, choices, this.#terminal, suggested);
  }

  /**
   * Asks for any number of several values.
   *
   * @param none the answer that stands for none of them
   */
  async chooseValues(question: string, values: readonly string[], none: string): Promise<readonly string[]> {
    const [VALUE, NONE] = ['value ', 'none'];
    const choices = values.map((text) => ({ value: VALUE + text, label: shortenText(text, NAME_WIDTH) }));
    const initial = [this.#answers.get(question) ?? []].flat();
    for (let problem = ''; ; problem = ` Choose values or "${none}", not both.`) {
      const all = [...choices, { value: NONE, label: none }];
      const chosen = await promptChoices(`${question}${problem}`, all, this.#terminal, initial);
      if (chosen.includes(NONE) && chosen.length > 1) continue;
      this.#answers.set(question, chosen);
      return chosen.filter((answer) => answer !== NONE).map((answer) => answer.slice(VALUE.length));
    }
  }

  /**
   * Asks for a line of text, until `read` accepts it.
   *
   * @param question without a colon at its end: `Role for everyone`
   * @param read returns the value of a line, or throws a `Problem`
   * @param suggested the line that pressing Enter accepts
   */
  async line<T>(question: string, read: (line: string) => T | Promise<T>, suggested?: string): Promise<T> {
    const initial = this.#answers.get(question)?.toString() ?? suggested;
    const enter = initial === undefined ? '' : ` (press Enter for ${initial})`;
    const validate = (line: string) =>
      (line === '' && initial === undefined) || isPlaceholder(line) ? 'Type an answer.' : undefined;
    for (let problem = ''; ; ) {
      const typed = await promptText(`${problem}${question}${enter}:`, this.#terminal, { missing: MISSING, validate });
      const line = typed === '' ? (initial ?? '') : typed;
      try {
        const value = await read(line);
        this.#answers.set(question, line);
        return value;
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        problem = `${error.message} `;
      }
    }
  }
}

/** Why orgadm asks for a line again: a sentence. */
export class Problem extends Error {}

/** Returns a text of the user or of a list for a question: quoted, on one line, and with its hidden characters shown. */
export function quoteText(text: string): string {
  return `"${shortenText(text, NAME_WIDTH)}"`;
}

/** Returns a value for an answer: on one line, with its hidden characters shown, and cut to a number of terminal columns. */
export function shortenText(text: string, width: number): string {
  return shorten(showHidden(sendableText(text)), width);
}

/** Returns the name of a column for a question, as --map takes it. */
export function quoteColumn(column: SampledColumn): string {
  return `"${shownName(column)}"`;
}

/** Returns the first values of a column for a question: `ACTIVE, SUSPENDED`; empty if it has none. */
export function valuesOf(column: SampledColumn): string {
  return shorten(shownValues(column), VALUES_WIDTH);
}

/** Returns the answer that stands for a column: its name. */
export function columnChoice(column: SampledColumn): Choice<string> {
  const hint = valuesOf(column);
  return { value: columnAnswer(column.name), label: shownName(column), ...(hint !== '' && { hint }) };
}

const COLUMN = 'column ';

/** Returns the value of the answer that stands for a column: no other answer has it, whatever its name. */
export function columnAnswer(name: string): string {
  return COLUMN + name;
}

/** Returns the name of the column that an answer stands for. */
export function nameOf(answer: string): string {
  return answer.slice(COLUMN.length);
}
