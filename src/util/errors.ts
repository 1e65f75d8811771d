import { getSystemErrorMap } from 'node:util';

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
  /** The next step, in one or two sentences. */
  hint?: string | undefined;
  /** HTTP status of the response, if there was one. */
  status?: number | undefined;
  /** The service's own identifier of the request, if it sent one. */
  requestId?: string | undefined;
  cause?: unknown;
}

/**
 * An error that is reported to the user. `code` is a stable identifier for scripts. `message` says what happened (which row,
 * field or flag), in lower case and without a final period; `hint` says what to do next, in sentences. `main` maps the error
 * to the exit code and the output format.
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

/** Returns the error with another hint; `changes` replaces its exit code, code or message too. */
export function withHint(
  error: OrgadmError,
  hint: string | undefined,
  changes: { code?: ErrorCode; exitCode?: number; message?: string } = {},
): OrgadmError {
  const { code = error.code, exitCode = error.exitCode, message = error.message } = changes;
  const { status, requestId } = error;
  return new OrgadmError(code, exitCode, message, { hint, status, requestId, cause: error });
}

/** Wrong usage or invalid input; nothing was sent. Exit code 2. */
export class UsageError extends OrgadmError {
  constructor(message: string, hint?: string, code: ErrorCode = 'usage') {
    super(code, EXIT.usage, message, { hint });
  }
}

/**
 * The values of `error.code` in JSON, and their descriptions. Scripts rely on this closed list, from which the help is
 * made. Name every new code in the changelog.
 */
export const ERROR_CODES = {
  aborted: 'the request was canceled',
  'bad-columns': 'the columns of the list do not match the fields',
  'bad-encoding': 'the file is not text, or does not have the format',
  'bad-list': 'the list is not valid CSV, JSON, or NDJSON',
  canceled: 'you canceled a question, or did not confirm the change',
  certificate: 'no TLS connection, or the certificate is not trusted',
  conflict: 'the service reports a conflict (409)',
  'empty-list': 'the list is empty',
  'errors-file-failed': 'orgadm cannot write the errors file',
  file: 'orgadm cannot read or write a configuration file',
  forbidden: 'the API key does not have permission (403)',
  gateway: 'a gateway or another server responded in place of the service (401 or 403 without JSON)',
  'incomplete-list': 'the response may not have all findings',
  'in-use': 'another process uses the file or runs the import',
  internal: 'a bug in orgadm',
  interrupted: 'a signal ended the command, or the connection to the service was lost',
  'invalid-list': 'rows of the list are invalid; nothing was sent',
  'invalid-response': 'orgadm cannot use the response',
  'jq-failed': 'the jq filter is invalid or failed',
  'journal-damaged': 'orgadm cannot read the journal of an import',
  'journal-write': 'orgadm cannot write the journal of an import',
  'key-changed': 'the run belongs to another API key',
  'list-read': 'orgadm cannot read the list',
  'no-key': 'orgadm has no API key',
  'not-found': 'the service did not find it (404)',
  'not-ready': 'the deadline passed before a domain was ready',
  'output-failed': 'orgadm cannot write to standard output',
  'rate-limited': 'the service limits requests (429)',
  redirect: 'the service returned a redirect, which orgadm never follows',
  rejected: 'the service rejected the request (400, 422, or another 4xx)',
  'response-too-large': 'the response exceeds a limit',
  'run-changed': 'another process has continued the run since you confirmed',
  'run-not-found': 'no run has this ID',
  'sandbox-port': 'the sandbox cannot listen on the port',
  'sandbox-state': 'the sandbox cannot read or write its state',
  'service-failed': 'the service failed (5xx)',
  'stored-as-active': 'the service stored people as active who were sent as inactive',
  timeout: 'no response in time',
  'too-large': 'the request is too large (413)',
  unauthorized: 'the service rejected the API key (401)',
  unreachable: 'orgadm cannot reach the service',
  unverified: 'orgadm could not verify the API key',
  usage: 'invalid usage or input',
} as const;

export type ErrorCode = keyof typeof ERROR_CODES;

/** Returns the code of an error of Node.js, such as `ENOENT`; undefined for an error without a code. */
export function systemErrorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** The messages of the system by their codes, as Node.js has them. */
const SYSTEM_MESSAGES: ReadonlyMap<string | undefined, string> = new Map(getSystemErrorMap().values());

/** Describes why orgadm could not access a file or directory, with the system's error code. */
export function describeFsError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = systemErrorCode(error);
  const description = code === 'EISDIR' ? 'it is a directory' : SYSTEM_MESSAGES.get(code);
  return description === undefined ? error.message : `${description} (${code})`;
}
