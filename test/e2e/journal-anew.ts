import { expect } from 'vitest';
import { reportOf } from '../helpers/report.ts';
import type { CliResult } from '../helpers/run-cli.ts';

export interface LaterCommands {
  /** Runs a command line on the machine of the run. */
  orgadm(args: readonly string[]): Promise<Pick<CliResult, 'stdout' | 'stderr'>>;
  /** The command line that imports the list. */
  command: readonly string[];
  /** Returns the number of requests that the service has received. */
  requests(): number;
}

/**
 * Reads the journal of a finished run without failed rows anew, as later commands do: `runs list`, `runs show`, `runs resume`,
 * and the same command once more show the states of its report, and send nothing. It is the last run that began on the machine.
 */
export async function expectSameStatesAnew(
  report: Pick<CliResult, 'stdout'>,
  { orgadm, command, requests }: LaterCommands,
): Promise<void> {
  const sent = requests();
  const { summary, rows } = reportOf(report);
  const { stopped: _, ...counted } = summary;
  const { id } = (JSON.parse(report.stdout) as { run: { id: string } }).run;
  const [listed] = JSON.parse((await orgadm(['runs', 'list', '--json'])).stdout);
  expect({ id: listed.id, state: listed.state, ...listed.summary }).toEqual({ id, state: 'finished', ...counted });
  for (const args of [['runs', 'show', id, '--json'], ['runs', 'resume', id, '--json'], command]) {
    const later = await orgadm(args);
    expect(reportOf(later), `${args.join(' ')}: ${later.stderr}`).toMatchObject({ summary, rows });
  }
  expect(requests()).toBe(sent);
}
