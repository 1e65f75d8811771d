import { beforeEach, expect } from 'vitest';
import { API_KEY } from '../../helpers/api-key.ts';
import { users, writeList } from '../../helpers/journal-files.ts';
import { bulkAddArgs } from '../../helpers/orgadm-process.ts';
import { FORBIDDEN, type PeopleService, startPeopleService } from '../../helpers/people-service.ts';
import { reportOf } from '../../helpers/report.ts';
import { type CliOptions, type CliResult, runCli } from '../../helpers/run-cli.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';
import { createAutoClock, type TestClock } from '../../helpers/test-clock.ts';

export const MINUTE_MS = 60_000;
/** The timeout of the imports in milliseconds. */
export const TIMEOUT_MS = 30_000;

/** A user's machine. Its imports share one clock, on which waits take no time. */
export interface TimedMachine {
  readonly home: string;
  readonly clock: TestClock;
  /** Imports a list, three rows in a request, with this `--request-lifetime`. Returns also the waits of the command in milliseconds. */
  importList(
    list: string,
    service: PeopleService,
    lifetime: string,
    options?: CliOptions & { readonly more?: readonly string[] },
  ): Promise<CliResult & { readonly waits: readonly number[] }>;
  /** Makes a service add everyone from now on. Returns when it receives each user first, in milliseconds from now. */
  timesOfSends(service: PeopleService): Readonly<Record<string, number>>;
  /** A list of six people whose first three were added without a response; then the service rejected the key. */
  unfinished(lifetime: string): Promise<{ readonly list: string; readonly service: PeopleService }>;
}

/** A machine for each test of a file. */
export function timedMachine(): TimedMachine {
  const home = temporaryFolder();
  let clock: TestClock;
  beforeEach(() => {
    clock = createAutoClock();
  });
  const machine: TimedMachine = {
    get home() {
      return home.path;
    },
    get clock() {
      return clock;
    },
    async importList(list, service, lifetime, { more = [], ...options } = {}) {
      const before = clock.sleeps.length;
      const args = bulkAddArgs(list, service, [
        ...['--timeout', `${TIMEOUT_MS}ms`, '--request-lifetime', lifetime],
        ...more,
      ]);
      const ended = await runCli(home.path, args, { env: { ORGADM_API_KEY: API_KEY }, clock, ...options });
      return { ...ended, waits: clock.sleeps.slice(before) };
    },
    timesOfSends(service) {
      const startMs = clock.now();
      const times: Record<string, number> = {};
      service.step = ({ userIds }) => {
        for (const userId of userIds) times[userId] ??= clock.now() - startMs;
        return 'respond';
      };
      return times;
    },
    async unfinished(lifetime) {
      const list = writeList(home.path, users(6));
      const service = await startPeopleService(({ number, response }) => {
        if (number > 1) return FORBIDDEN;
        response.destroy();
        return 'apply';
      });
      const first = await machine.importList(list, service, lifetime);
      expect(reportOf(first).summary).toMatchObject({ unknown: 3, unsent: 3 });
      service.step = () => 'respond';
      return { list, service };
    },
  };
  return machine;
}
