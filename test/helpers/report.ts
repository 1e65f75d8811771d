import type { CliResult } from './run-cli.ts';

/** The report of an import in JSON, as far as tests read it. */
export interface Report {
  summary: Record<
    'total' | 'created' | 'existing' | 'recovered' | 'failed' | 'invalid' | 'unknown' | 'unsent',
    number
  > & {
    stopped: { code: string; message: string } | null;
  };
  rows: { line: number; userId: string; state: string; error: string | null }[];
  possibleDuplicates: { userId: string }[];
  mismatches: object[];
  run: { id: string };
}

/** A report of rows of which only these counts are not zero. */
export function counts(some: Partial<Report['summary']>): Report['summary'] {
  const none = { created: 0, existing: 0, recovered: 0, failed: 0, invalid: 0, unknown: 0, unsent: 0 };
  return { total: 0, ...none, stopped: null, ...some };
}

/** The report of an import with --json. */
export function reportOf({ stdout }: Pick<CliResult, 'stdout'>): Report {
  return JSON.parse(stdout) as Report;
}

/** An error as a script reads it under --json. */
export interface ReportedError extends Readonly<Record<string, unknown>> {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

/** The one line of standard error that is an error in JSON. */
export function errorOf({ stderr }: Pick<CliResult, 'stderr'>): ReportedError {
  const line = stderr.split('\n').find((text) => text.startsWith('{"error":'));
  if (line === undefined) throw new Error(`no error on standard error: ${stderr}`);
  return (JSON.parse(line) as { error: ReportedError }).error;
}
