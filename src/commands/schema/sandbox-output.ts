import * as z from 'zod/mini';
import { withExamples } from './render-schema.ts';

/** What `sandbox serve` prints once it listens. */
export const sandboxServeOutput = withExamples(
  z.object({
    url: z.string().check(z.describe('base URL of the sandbox')),
    apiKey: z.string().check(z.describe('the key that it accepts')),
  }),
  { url: 'http://127.0.0.1:4010', apiKey: 'sandbox_0123456789' },
);

/** What `sandbox reset` prints. */
export const sandboxResetOutput = withExamples(
  z.object({ file: z.string().check(z.describe('the file of the state, now removed')) }),
  { file: '/home/ada/.local/state/orgadm/sandbox.json' },
);
