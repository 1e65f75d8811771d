import * as z from 'zod/mini';
import { SETTING_NAMES } from '../../config/setting-table.ts';

const value = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]);

/** What `config list` prints: the settings of each profile. */
export const configListOutput = z.record(z.string(), z.partialRecord(z.enum(SETTING_NAMES), value));

/** What `config get` prints. */
export const configGetOutput = value;

/** What `config path` prints. */
export const configPathOutput = z.object({
  config: z.string().check(z.describe('the file of the settings')),
  credentials: z.string().check(z.describe('the file of the keys')),
});
