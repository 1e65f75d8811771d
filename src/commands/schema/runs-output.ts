import * as z from 'zod/mini';
import { EXAMPLE_COUNTS, importCounts } from './people-output.ts';
import { dateTime, withExamples } from './render-schema.ts';

const id = z.string().check(z.describe('32 hex digits'));

const state = z
  .enum(['running', 'unfinished', 'finished', 'damaged'])
  .check(z.describe('running: a process is working on it; damaged: its journal cannot be read'));

/** What `runs list` prints, newest first. Fields are null in a damaged run, and if the run did not record them. */
export const runsListOutput = withExamples(
  z.array(
    z.object({
      id,
      state,
      startedAt: z.nullable(dateTime),
      lastActiveAt: z.nullable(dateTime).check(z.describe('when a process last ended the run or sent something')),
      list: z.nullable(z.string()).check(z.describe('the list as it was named')),
      path: z.nullable(z.string()).check(z.describe('absolute path of the list; null if it is not a file')),
      service: z.nullable(z.string()).check(z.describe('base URL; for the sandbox the path of its state')),
      profile: z.nullable(z.string()),
      summary: z.nullable(importCounts),
      command: z
        .nullable(z.string())
        .check(z.describe('continues an unfinished run, or prints the report of a finished one')),
      error: z.nullable(z.string()).check(z.describe('why a run is damaged')),
    }),
  ),
  [
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
      command: 'orgadm runs show 5633a158d8c1',
      error: null,
    },
  ],
);

/** What `runs remove` prints. */
export const runsRemoveOutput = withExamples(
  z.object({ removed: z.array(z.object({ id, list: z.nullable(z.string()), state })) }),
  {
    removed: [{ id: '5633a158d8c1dae5889252ae299fac67', list: 'examples/members.csv', state: 'finished' }],
  },
);
