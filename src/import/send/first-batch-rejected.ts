import { EXIT, OrgadmError } from '../../util/errors.ts';
import { countOf } from '../../util/units.ts';

/** Ends a run whose first batch was rejected: its rows have a mistake that the others have, too. */
export class FirstBatchRejected extends OrgadmError {
  /** The message on all of its rows; undefined if they have several. */
  readonly sharedMessage: string | undefined;

  /** @param messages the different messages on its rows, without the positions of the rows */
  constructor(
    rejection: OrgadmError | undefined,
    messages: readonly string[],
    { rejected, unsent }: { rejected: number; unsent: number },
  ) {
    const [first = 'no message', ...others] = messages;
    const reason = others.length === 0 ? `: ${first}` : `, for example: ${first}`;
    super(
      rejection?.code ?? 'rejected',
      rejection?.exitCode ?? EXIT.failure,
      `the service rejected all ${countOf(rejected, 'row')} of the first batch${reason}`,
      {
        hint: `Fix the list and import it again. orgadm did not send the other ${unsent === 1 ? 'row' : countOf(unsent, 'row')}.`,
        status: rejection?.status,
        requestId: rejection?.requestId,
        cause: rejection,
      },
    );
    this.sharedMessage = others.length === 0 ? first : undefined;
  }
}
