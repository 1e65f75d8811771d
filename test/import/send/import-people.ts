import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../../src/util/host.ts';
import { API_KEY } from '../../helpers/api-key.ts';
import { writeList } from '../../helpers/journal-files.ts';
import { type BulkRequest, type PeopleService, type Step, startPeopleService } from '../../helpers/people-service.ts';
import { type Report, reportOf } from '../../helpers/report.ts';
import { runCli } from '../../helpers/run-cli.ts';
import { createAutoClock } from '../../helpers/test-clock.ts';

export interface ImportOptions {
  /** The reaction of the service to a request; it may also use the response. */
  readonly step: (request: BulkRequest) => Step | Promise<Step>;
  readonly more?: readonly string[];
  readonly clock?: Clock & { readonly sleeps?: readonly number[] };
  /** For jitter; always 0 by default. */
  readonly random?: () => number;
}

/** An import that has ended. */
export interface EndedImport {
  readonly code: number;
  readonly stderr: string;
  readonly report: Report;
  /** Numbers of rows of the requests. */
  readonly sizes: readonly number[];
  /** Waits of orgadm, in milliseconds. */
  readonly sleeps: readonly number[];
  readonly service: PeopleService;
}

/** Imports people with the entire command line into a real service. By default, waits take no time and have no jitter. */
export async function importPeople(
  home: string,
  userIds: readonly string[],
  { more = [], ...options }: ImportOptions,
): Promise<EndedImport> {
  const service = await startPeopleService();
  return runAgainst(service, home, ['people', 'bulk-add', writeList(home, userIds), ...more], options);
}

/** Continues the run of an import in another process. */
export function resumeImport(
  home: string,
  { service, report }: EndedImport,
  { more = [], ...options }: Pick<ImportOptions, 'step' | 'more'>,
): Promise<EndedImport> {
  return runAgainst(service, home, ['runs', 'resume', report.run.id, ...more], options);
}

async function runAgainst(
  service: PeopleService,
  home: string,
  argv: readonly string[],
  { step, clock = createAutoClock(), random = () => 0 }: Omit<ImportOptions, 'more'>,
): Promise<EndedImport> {
  const before = service.sizes.length;
  service.requests = 0;
  service.step = step;
  const result = await runCli(home, [...argv, '--json'], {
    env: { ORGADM_BASE_URL: service.url, ORGADM_API_KEY: API_KEY },
    clock,
    random,
  });
  const report = reportOf(result);
  const sizes = service.sizes.slice(before);
  return { code: result.code, stderr: result.stderr, report, sizes, sleeps: clock.sleeps ?? [], service };
}

/** Resolves when everything has arrived that was sent at the same time: within a few turns of the event loop. */
export async function arrivals(): Promise<void> {
  for (let turns = 0; turns < 20; turns++) await setImmediate();
}
