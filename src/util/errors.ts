import type { ErrorCode } from './error-codes.ts';

/** Exit codes, the same for every command. */
export const EXIT = {
  ok: 0,
  failure: 1,
  usage: 2,
  incomplete: 3,
  auth: 4,
  notFound: 5,
  unreachable: 6,
  checkFailed: 7,
} as const;

export interface ErrorDetails {
  /** What to do next, in one or two sentences. */
  hint?: string | undefined;
  /** HTTP status of the response, if there was one. */
  status?: number | undefined;
  /** The service's own identifier of the request, if it sent one. */
  requestId?: string | undefined;
  cause?: unknown;
}

/**
 * An error that is reported to the user. `code` is a stable identifier for scripts, `message` says what happened (which row,
 * field or flag), `hint` what to do next. `main` maps it to the exit code and the output format.
 */
export class OrgadmError extends Error {
  readonly code: ErrorCode;
  readonly exitCode: number;
  readonly hint: string | undefined;
  readonly status: number | undefined;
  readonly requestId: string | undefined;

  constructor(code: ErrorCode, exitCode: number, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = new.target.name;
    this.code = code;
    this.exitCode = exitCode;
    this.hint = details.hint;
    this.status = details.status;
    this.requestId = details.requestId;
  }
}

/** Wrong usage or invalid input; nothing was sent. Exit code 2. */
export class UsageError extends OrgadmError {
  constructor(message: string, hint?: string, code: ErrorCode = 'usage') {
    super(code, EXIT.usage, message, { hint });
  }
}
