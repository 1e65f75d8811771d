import type { ReportRow } from '../../import/report/report.ts';
import type { Output } from '../../output/output.ts';

/**
 * Writes a GitHub annotation for a row that was not added: `::error file=members.csv,line=4::usr_7: not found`. GitHub finds
 * it in the log of a job, on standard error too.
 *
 * @param file the list as the user named it; `-` for standard input, which has no file to annotate
 */
export function annotate({ line, userId, state, error }: ReportRow, file: string, output: Output): void {
  if (state !== 'failed' && state !== 'invalid' && state !== 'unknown') return;
  const place = [
    ...(file === '-' ? [] : [`file=${escapeProperty(file)}`]),
    ...(line === null ? [] : [`line=${line}`]),
  ].join(',');
  const message = [userId, `${state}${error === null ? '' : `: ${error}`}`].filter(Boolean).join(' ');
  output.trace(`::error${place === '' ? '' : ` ${place}`}::${escapeData(message)}`);
}

/** Escapes the message of a workflow command. */
function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

/** Escapes a property of a workflow command, such as a file name. */
function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
