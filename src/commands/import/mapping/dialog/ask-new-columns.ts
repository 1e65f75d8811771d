import { basename } from 'node:path';
import { isInversion } from '../../../../import/mapping.ts';
import type { MemberField } from '../../../../import/new-member.ts';
import { answerUserIds } from './ask-fields.ts';
import { answerStatus } from './ask-status.ts';
import type { Dialog } from './dialog.ts';
import { quoteColumn, valuesOf } from './questions.ts';

const IGNORE = 'ignore';

const CHOICE_LABELS: Readonly<Record<MemberField, string>> = {
  isActive: 'Who is active',
  role: 'The roles',
  department: 'The departments',
  userId: 'The user IDs',
  deviceMgmtLabelId: 'The IDs of device management labels',
};

/** Asks about each column that a mapping file does not name: which field it has, or whether to ignore it. */
export async function askNewColumns(file: string, dialog: Dialog): Promise<void> {
  const { columns, decisions, questions, answers } = dialog;
  for (const column of columns.filter(({ name }) => decisions.others.includes(name))) {
    const { name } = column;
    const values = valuesOf(column);
    const shownColumn = values === '' ? quoteColumn(column) : `${quoteColumn(column)} (${values})`;
    const known = isInversion(name) ? [] : (Object.keys(CHOICE_LABELS) as MemberField[]);
    const fields = known.filter((field) => !answers.has(field));
    const answer = await questions.choose(`${basename(file)} does not name ${shownColumn}. What does it have?`, [
      ...fields.map((field) => ({ value: field as string, label: CHOICE_LABELS[field] })),
      { value: IGNORE, label: 'Nothing to import: ignore it' },
    ]);
    const field = fields.find((candidate) => candidate === answer);
    if (field === undefined) continue;
    if (field === 'userId') await answerUserIds(name, dialog, true);
    else if (field === 'isActive') await answerStatus(name, dialog);
    else answers.set(field, { column: name, replaces: true, shown: quoteColumn(column) });
  }
}
