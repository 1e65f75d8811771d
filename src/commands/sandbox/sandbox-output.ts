import * as z from 'zod/mini';
import { countSchema, textSchema, withExample } from '../output-schema.ts';

/** The output of `sandbox serve` once it listens. */
export const sandboxServeOutput = withExample(
  z.object({ url: textSchema('base URL of the sandbox'), apiKey: textSchema('the key that it accepts') }),
  { url: 'http://127.0.0.1:4010', apiKey: 'sandbox_0123456789' },
);

/** The output of `sandbox reset`. */
export const sandboxResetOutput = withExample(
  z.object({
    file: textSchema('the file of the state, now removed'),
    removedRuns: countSchema('import runs into the sandbox, now removed'),
  }),
  { file: '/home/ada/.local/state/orgadm/sandbox.json', removedRuns: 0 },
);
