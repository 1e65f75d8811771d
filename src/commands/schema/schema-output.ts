import * as z from 'zod/mini';
import { withDescription, withExample } from '../output-schema.ts';

/** The output of `schema` without a command. */
export const schemaListOutput = withExample(
  z.object({
    schemaVersion: withDescription(z.int(), 'grows when a field is removed or changes its type'),
    schemas: withDescription(z.array(z.string()), 'the names that orgadm schema accepts'),
  }),
  { schemaVersion: 1, schemas: ['people bulk-add', 'domain status', 'error'] },
);
