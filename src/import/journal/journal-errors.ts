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
        hint:
          when === 'opening'
            ? 'Nothing was sent. Set ORGADM_STATE_DIR to a writable directory with enough free space.'
            : 'Nothing more was sent. Free some space there first.',
        cause,
      },
    );
    this.path = path;
  }
}
