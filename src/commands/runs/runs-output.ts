import * as z from 'zod/mini';
import { EXAMPLE_COUNTS, importCounts } from '../import/report/document.ts';
import { dateTime, nullableText, textSchema, withExample } from '../output-schema.ts';

const runState = z
  .enum(['running', 'unfinished', 'superseded', 'finished', 'damaged'])
  .check(
    z.describe(
      'running: a process is working on it; superseded: unfinished, but a later run has sent the list; damaged: orgadm cannot read its journal',
    ),
  );

const recordedRun = z.object({
  id: textSchema('32 hex digits'),
  state: runState,
  startedAt: z.nullable(dateTime),
  lastActiveAt: z.nullable(dateTime).check(z.describe('when orgadm last sent something, or ended the run')),
  list: nullableText('the list as the command named it'),
  path: nullableText('absolute path of the list; null if it is not a file'),
  service: nullableText('base URL; for the sandbox the path of its state'),
  profile: z.nullable(z.string()),
  summary: z.nullable(importCounts),
  command: nullableText('continues an unfinished run, or prints the report of a finished one'),
  error: nullableText('why a run is damaged'),
});

/** A run as `runs list` prints it. Fields are null in a damaged run, and if the run did not record them. */
export type RunDescription = z.output<typeof recordedRun>;

/** The output of `runs list`, newest first. */
export const runsListOutput = withExample(z.array(recordedRun), [
  {
    id: '5633a158d8c1dae5889252ae299fac67',
    state: 'finished',
    startedAt: '2026-01-05T08:00:00.000Z',
    lastActiveAt: '2026-01-05T08:00:01.000Z',
    list: 'examples/members.csv',
    path: '/home/ada/examples/members.csv',
    service: '/home/ada/.local/state/orgadm/sandbox.json',
    profile: null,
    summary: EXAMPLE_COUNTS,
    command: 'orgadm runs show 5633a158',
    error: null,
  },
]);
