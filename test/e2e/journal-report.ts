import type { CliResult } from '../helpers/run-cli.ts';

export interface Report {
  summary: Record<
    'total' | 'created' | 'existing' | 'recovered' | 'failed' | 'invalid' | 'unknown' | 'unsent' | 'duplicates',
    number
  > & {
    stopped: { code: string; message: string } | null;
  };
  rows: { line: number; userId: string; state: string; error: string | null }[];
}

/** A report of rows of which only these counts are not zero. */
export function counts(some: Partial<Report['summary']>): Report['summary'] {
  const none = { created: 0, existing: 0, recovered: 0, failed: 0, invalid: 0, unknown: 0, unsent: 0, duplicates: 0 };
  return { total: 0, ...none, stopped: null, ...some };
}

export function reportOf({ stdout }: Pick<CliResult, 'stdout'>): Report {
  return JSON.parse(stdout) as Report;
}

/** The one error line on standard error, as a script under --json reads it. */
export function errorOf({ stderr }: Pick<CliResult, 'stderr'>): { code: string; message: string; hint?: string } {
  const line = stderr.split('\n').find((text) => text.startsWith('{"error":'));
  if (line === undefined) throw new Error(`no error on standard error: ${stderr}`);
  return (JSON.parse(line) as { error: { code: string; message: string; hint?: string } }).error;
}
