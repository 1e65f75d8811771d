import * as z from 'zod/mini';
import { withExamples } from './render-schema.ts';

/** What `schema` prints without a command. */
export const schemaListOutput = withExamples(
  z.object({
    schemaVersion: z.int().check(z.describe('grows when a field is removed or changes its type')),
    schemas: z.array(z.string()).check(z.describe('the names that orgadm schema accepts')),
  }),
  { schemaVersion: 1, schemas: ['people bulk-add', 'domain status', 'error'] },
);

/** What `version` prints. */
export const versionOutput = withExamples(z.object({ version: z.string() }), { version: '0.1.0' });
