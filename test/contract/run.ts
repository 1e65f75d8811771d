import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { API_KEY } from '../helpers/api-key.ts';
import { type CliResult, runCli } from '../helpers/run-cli.ts';
import { createAutoClock } from '../helpers/test-clock.ts';
import type { Behaviors, Operation } from './behaviors.ts';
import type { Variant } from './dsl.ts';
import { COMMANDS, LIST } from './fixtures.ts';
import { type ContractService, startContractService } from './service.ts';

/** The result of a run and the records of its service. */
export interface Outcome extends CliResult {
  service: Pick<ContractService, 'added' | 'responses' | 'faults'>;
  /** Standard output in short, see `Expected`. */
  short: string;
}

export interface RunOptions extends Pick<Variant, 'list' | 'messages' | 'first'> {
  behaviors: Behaviors;
}

/** Runs the command line of one operation against a new service, in a new home directory. Waits take no time. */
export async function runAgainst(
  operation: Operation,
  { behaviors, list, messages, first }: RunOptions,
): Promise<Outcome> {
  const home = mkdtempSync(join(tmpdir(), 'orgadm-contract-'));
  const service = await startContractService(behaviors);
  const options = {
    clock: createAutoClock(),
    random: () => 0,
    stdin: operation === 'people' ? (list ?? LIST) : '',
    env: { ORGADM_BASE_URL: service.baseUrl, ORGADM_API_KEY: API_KEY },
  };
  try {
    if (first !== undefined) await runCli(home, first, options);
    const argv = COMMANDS[operation].map((word) => messages?.[word] ?? word);
    const result = await runCli(home, [...argv, '--json'], options);
    return { ...result, service, short: result.stdout === '' ? '' : SHORT[operation](result.json()) };
  } finally {
    await service.close();
    rmSync(home, { recursive: true, force: true });
  }
}

interface Report {
  summary: { total: number };
  rows: { entry: number; state: string }[];
}

/** Returns the states of all rows in the order of the list. Rows that the report does not list are created. */
export function statesOf({ summary, rows }: Report): string[] {
  const states = Array.from({ length: summary.total }, () => 'created');
  for (const { entry, state } of rows) states[entry - 1] = state;
  return states;
}

/** Shortens a document of each operation, see `Expected`. */
export const SHORT: Readonly<Record<Operation, (document: unknown) => string>> = {
  role: (document) => {
    const { name, permissions } = document as { name?: string; permissions?: Record<string, string[]> | null };
    const allowed = Object.entries(permissions ?? {}).map(([resource, actions]) => `${resource}=${actions.join(',')}`);
    return [...(name === undefined ? [] : [name]), ...allowed].join(' ');
  },
  people: (document) => statesOf(document as Report).join(' '),
  domain: (document) => ((document as { state: string }[])[0]?.state === 'ready' ? 'ready' : 'not ready'),
  findings: (document) => (document as { id?: unknown }[]).map(({ id }) => String(id ?? '?')).join(' '),
};
