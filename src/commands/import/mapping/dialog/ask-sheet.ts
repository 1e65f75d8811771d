import type { SheetsError } from '../../../../import/list/source/text.ts';
import { promptChoice } from '../../../../output/prompt.ts';
import { countOf } from '../../../../util/units.ts';
import { type Context, promptTerminal } from '../../../command-context.ts';

/**
 * Asks which sheet of a workbook has the list, on standard error.
 *
 * @returns its name
 * @throws OrgadmError if the user interrupts it, or ends the input
 */
export function askSheet({ sheets }: SheetsError, context: Context): Promise<string> {
  const choices = sheets.map(({ name, rows }) => ({ value: name, label: name, hint: countOf(rows, 'row') }));
  return promptChoice('Which sheet has the list?', choices, promptTerminal('nothing was sent', context));
}
