import { z } from 'zod';

/** What `auth login` prints. */
export const authLoginOutput = z.object({
  profile: z.string(),
  baseUrl: z.string(),
  verified: z.boolean().describe('the service took the key'),
  file: z.string().describe('where the key is kept'),
});

/** What `auth status` prints; never the key. */
export const authStatusOutput = z.object({
  profile: z.string(),
  baseUrl: z.string().nullable(),
  baseUrlFrom: z.string().nullable().describe('the flag, variable or profile that set it'),
  keyFrom: z.string().nullable().describe('the flag, variable or profile that holds the key'),
  verified: z.enum(['yes', 'no', 'unknown']).nullable().describe('no: refused; null: there is no key'),
});

/** What `auth logout` prints. */
export const authLogoutOutput = z.object({
  profile: z.string(),
  removed: z.boolean().describe('there was a key'),
});
