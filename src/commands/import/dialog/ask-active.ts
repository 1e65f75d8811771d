import type { ColumnSample } from '../../../import/check/decisions.ts';
import type { Mapping } from '../../../import/mapping.ts';
import { multiselect, type PromptTerminal, select } from '../../../output/prompt.ts';
import { quote } from '../../../output/sanitize.ts';
import type { Say } from './ask-ids.ts';
import { type CountedValue, columnChoices, columnName, countedValues, valueChoices } from './column-choices.ts';

const EVERYONE = 'everyone';

/** Asks which columns say who is active, and which of their values do: all of them must hold. */
export async function askActive(
  columns: readonly ColumnSample[],
  say: Say,
  terminal: PromptTerminal,
): Promise<NonNullable<Mapping['active']>> {
  // A status has few values.
  const sorted = [...columns].sort((a, b) => (a.counts?.length ?? Infinity) - (b.counts?.length ?? Infinity));
  const choices = [{ value: EVERYONE, label: 'None: everyone is active' }, ...columnChoices(sorted)];
  for (;;) {
    const chosen = await multiselect('Which columns say who is active?', choices, terminal);
    const statuses = chosen.flatMap((at) => sorted[Number(at)] ?? []);
    if (statuses.length === 0) return 'all';
    if (chosen.includes(EVERYONE)) {
      say('Choose either columns or "None: everyone is active".');
      continue;
    }
    const active = await askStatuses(statuses, terminal);
    if (active !== undefined) return active;
  }
}

/** Returns undefined to choose other columns. */
async function askStatuses(
  columns: readonly ColumnSample[],
  terminal: PromptTerminal,
): Promise<Record<string, string[]> | undefined> {
  const active: Record<string, string[]> = {};
  for (const column of columns) {
    const values = countedValues(column);
    const chosen = values === undefined ? await askBlank(column, terminal) : await askStatus(column, values, terminal);
    if (chosen === undefined) return undefined;
    active[column.name] = chosen;
  }
  return active;
}

async function askStatus(
  { name }: ColumnSample,
  values: readonly CountedValue[],
  terminal: PromptTerminal,
): Promise<string[]> {
  const question = `Which values of ${quote(columnName(name))} mean active? Everyone else is inactive.`;
  const chosen = await multiselect(question, valueChoices(values), terminal);
  return chosen.flatMap((at) => values[Number(at)]?.value ?? []);
}

/** A column with many values, such as a date, can only say it by being blank. */
async function askBlank({ name, samples }: ColumnSample, terminal: PromptTerminal): Promise<string[] | undefined> {
  const question = `${columnName(name)} has many values (${samples.join(', ')}, …). Who is active?`;
  const choices = [
    { value: 'blank', label: 'People with a blank cell' },
    { value: 'others', label: 'Choose other columns' },
  ] as const;
  return (await select(question, choices, terminal)) === 'blank' ? [''] : undefined;
}
