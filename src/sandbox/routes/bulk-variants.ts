import type { Variants } from '../variants.ts';
import type { BulkResponseRows, FailedRow } from './bulk-rows.ts';

/** The words for somebody who is a member already (interface 4.2). */
export function alreadyMemberMessage(email: string, variants: Variants): string {
  switch (variants['member-words']) {
    case 'usual':
      return `User ${email} is already a member of this organization`;
    case 'exists':
      return `Membership of ${email} already exists`;
    case 'code':
      return 'ALREADY_MEMBER';
    case 'other':
      return `${email} is on board already`;
  }
}

/** The lists of an answer as this service gives them. */
export function varyRows({ created, errors }: BulkResponseRows, variants: Variants): BulkResponseRows {
  return { created: varyCreated(created, variants), errors: errors.map((row) => named(row, variants)) };
}

/** The summary of an answer, as a field of it. */
export function summaryField(total: number, { created, errors }: BulkResponseRows, variants: Variants): object {
  switch (variants.summary) {
    case 'right':
      // Entries are counted, not rows (interface 4.2, rule 2).
      return {
        summary: { total, successful: new Set(created.map(({ userId }) => userId)).size, failed: errors.length },
      };
    case 'wrong':
      return { summary: { total, successful: total, failed: 0 } };
    case 'absent':
      return {};
  }
}

function varyCreated(created: BulkResponseRows['created'], variants: Variants): BulkResponseRows['created'] {
  switch (variants.created) {
    case 'in-order':
      return created;
    case 'reversed':
      return created.toReversed();
    case 'twice':
      return created.flatMap((row) => [{ ...row, id: `${row.id}_former`, isActive: false }, row]);
  }
}

function named({ index, userId, error }: FailedRow, variants: Variants): FailedRow {
  const names = variants['error-names'];
  return {
    ...((names === 'both' || names === 'index') && index !== undefined ? { index } : {}),
    ...((names === 'both' || names === 'userId') && userId !== undefined ? { userId } : {}),
    error,
  };
}
