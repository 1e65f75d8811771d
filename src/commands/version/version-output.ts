import * as z from 'zod/mini';
import { withExample } from '../output-schema.ts';

/** The output of `version`. */
export const versionOutput = withExample(z.object({ version: z.string() }), { version: '0.1.0' });
