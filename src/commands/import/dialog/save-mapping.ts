import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Mapping } from '../../../import/mapping.ts';
import type { Table } from '../../../import/table/table.ts';
import { confirm, type PromptTerminal } from '../../../output/prompt.ts';
import { describeFsError, EXIT, OrgadmError } from '../../../util/errors.ts';
import { replaceFile } from '../../../util/files.ts';
import type { ListRead } from '../mapping/describe-mapping.ts';
import type { Say } from './ask-ids.ts';

/** Returns the file for the answers about a list: `hr.mapping.json` next to `hr.csv`. */
export function mappingFileOf({ name }: Pick<Table, 'name'>): string {
  const { dir, name: stem } = path.parse(name);
  return path.join(dir, `${stem}.mapping.json`);
}

/**
 * Saves the answers instead of an import. Asks before it replaces a file.
 *
 * @returns whether they were saved
 */
export async function saveAnswers(file: string, read: ListRead, say: Say, terminal: PromptTerminal): Promise<boolean> {
  if (existsSync(file) && !(await confirm(`Replace ${file}?`, terminal))) return false;
  saveMapping(file, read);
  say(`Saved. To import the list with the answers, add --mapping ${file}`);
  return true;
}

/** Offers to save the answers for the next list. */
export async function offerToSave(file: string, read: ListRead, say: Say, terminal: PromptTerminal): Promise<void> {
  const question = `Save the answers for the next list to ${file}?${existsSync(file) ? ' It replaces the file.' : ''}`;
  if (!(await confirm(question, terminal))) return;
  saveMapping(file, read);
  say(`Saved. Next time, add --mapping ${file}`);
}

/**
 * Saves a mapping with the statuses of inactive people, so that a new one is an error next time.
 *
 * @throws OrgadmError (exit 2) if the file cannot be written
 */
function saveMapping(file: string, { mapping, totals }: ListRead): void {
  const { lookup, ...others } = mapping;
  const statuses = totals.statuses.flatMap(({ column, values }) => {
    const texts = values.flatMap(({ value, isActive }) => (isActive ? [] : [value]));
    return isOnlyBlank(mapping, column) ? [] : [[column, texts] as const];
  });
  const saved: Mapping = {
    ...others,
    ...(statuses.length > 0 && { inactive: Object.fromEntries(statuses) }),
    ...(lookup !== undefined && { lookup: { ...lookup, file: path.relative(path.dirname(file), lookup.file) } }),
  };
  try {
    replaceFile(file, `${JSON.stringify(saved, null, 2)}\n`, { durable: false });
  } catch (error) {
    throw new OrgadmError('file', EXIT.usage, `cannot write ${file}: ${describeFsError(error)}`, { cause: error });
  }
}

/** Whether a blank cell alone means active, so that the other values do not matter. */
function isOnlyBlank({ active }: Mapping, column: string): boolean {
  if (typeof active !== 'object') return false;
  const values = active[column] ?? [];
  return values.length === 1 && values[0] === '';
}
