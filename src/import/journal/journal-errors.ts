import { EXIT, OrgadmError } from '../../util/errors.ts';
import { describeFsError } from '../../util/fs-error.ts';

/** A journal that cannot be believed: damaged before its torn end, or written by a newer version. Exit code 2. */
export class JournalDamagedError extends OrgadmError {
  constructor(path: string, reason: string) {
    super('journal-damaged', EXIT.usage, `the journal ${path} ${reason}`, {
      hint: 'Nothing was sent. --restart starts the list over and takes the fate of all its rows as unclear.',
    });
  }
}

/**
 * A journal that cannot be written. Nothing is sent without it: exit code 2 where it could not even be opened, 1 where
 * it failed in the midst of a run.
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
            ? 'Nothing was sent. Make room there, or name another folder with --journal.'
            : 'Nothing further was sent. Make room there, and go on with --resume.',
        cause,
      },
    );
    this.path = path;
  }
}
