import { describeFsError, EXIT, OrgadmError } from '../../util/errors.ts';

/** A journal that cannot be used: damaged in a line other than the last one, or written in another format. Exit code 2. */
export class JournalDamagedError extends OrgadmError {
  /** @param sent what was sent, and what to do rather than start over */
  constructor(path: string, reason: string, sent = 'Nothing was sent.') {
    super('journal-damaged', EXIT.usage, `the journal ${path} ${reason}`, {
      hint: `${sent} To start over, add --restart. Existing members are reported as existing.`,
    });
  }
}

const OPENING_HINT = 'Nothing was sent. Set ORGADM_STATE_DIR to a writable directory with enough free space.';
const RUNNING_HINT = 'Nothing more was sent. Free some space there first.';
const DELETED_HINT =
  'Nothing more was sent. The same command starts a new run, which reports the people who were added as existing.';

/** A journal that was deleted while a run wrote to it: nothing can continue the run. */
export class DeletedJournal extends Error {
  constructor() {
    super('it was deleted during the run');
  }
}

/**
 * A journal that cannot be written. Nothing is sent without it: exit code 2 if it could not even be opened, 1 if it failed
 * during a run.
 */
export class JournalWriteError extends OrgadmError {
  readonly path: string;

  constructor(path: string, cause: unknown, when: 'opening' | 'running') {
    super(
      'journal-write',
      when === 'opening' ? EXIT.usage : EXIT.failure,
      `cannot write the journal ${path}: ${describeFsError(cause)}`,
      {
        hint: when === 'opening' ? OPENING_HINT : cause instanceof DeletedJournal ? DELETED_HINT : RUNNING_HINT,
        cause,
      },
    );
    this.path = path;
  }
}
