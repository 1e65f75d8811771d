import { expect } from 'vitest';
import { API_KEY } from '../../helpers/api-key.ts';
import { addCommand } from '../../helpers/orgadm-process.ts';
import {
  FORBIDDEN,
  type PeopleService,
  type PeopleServiceOptions,
  startPeopleService,
} from '../../helpers/people-service.ts';
import { type CliOptions, type CliResult, runCli } from '../../helpers/run-cli.ts';

/** A run as `runs list --json` prints it. */
export interface ListedRun {
  id: string;
  state: string;
  startedAt: string | null;
  lastActiveAt: string | null;
  list: string | null;
  path: string | null;
  service: string | null;
  summary: Record<string, number> | null;
  command: string | null;
  error: string | null;
}

export interface Machine {
  readonly home: string;
  /** Runs a command line without a service. */
  run(argv: readonly string[], options?: CliOptions): Promise<CliResult>;
  /** Imports a list into a service, three rows in a request. */
  add(list: string, service: PeopleService, more?: readonly string[], options?: CliOptions): Promise<CliResult>;
  runs(): Promise<ListedRun[]>;
}

export function machineAt(home: string): Machine {
  const run = (argv: readonly string[], options: CliOptions = {}) => runCli(home, argv, options);
  return {
    home,
    run,
    add: (list, service, more = [], options = {}) =>
      run(addCommand(list, service, more), { ...options, env: { ORGADM_API_KEY: API_KEY, ...options.env } }),
    runs: async () => (await run(['runs', 'list', '--json'])).json() as ListedRun[],
  };
}

/** A service that rejects the key at the third request: twelve rows end as six created and six unsent. */
export function serviceThatStops(options?: PeopleServiceOptions): Promise<PeopleService> {
  return startPeopleService(({ number }) => (number === 3 ? FORBIDDEN : 'respond'), options);
}

export function only<T>(items: readonly T[]): T {
  expect(items.length).toBe(1);
  return items[0] as T;
}
