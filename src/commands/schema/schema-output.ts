import * as z from 'zod/mini';
import { withDescription, withExample } from '../output-schema.ts';

/** The output of `schema` without a command. */
export const schemaListOutput = withExample(
  z.object({
    schemaVersion: withDescription(z.int(), 'increases when orgadm removes a field or changes its type'),
    schemas: withDescription(z.array(z.string()), 'the names that orgadm schema accepts'),
  }),
  { schemaVersion: 1, schemas: ['people bulk-add', 'domain status', 'error'] },
);
