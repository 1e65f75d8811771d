import * as z from 'zod/mini';

/** What `auth login` prints. */
export const authLoginOutput = z.object({
  profile: z.string(),
  baseUrl: z.string(),
  verified: z.boolean().check(z.describe('the service took the key')),
  file: z.string().check(z.describe('where the key is kept')),
});

/** What `auth status` prints; never the key. */
export const authStatusOutput = z.object({
  profile: z.string(),
  baseUrl: z.nullable(z.string()),
  baseUrlFrom: z.nullable(z.string()).check(z.describe('the flag, variable or profile that set it')),
  keyFrom: z.nullable(z.string()).check(z.describe('the flag, variable or profile that holds the key')),
  verified: z.nullable(z.enum(['yes', 'no', 'unknown'])).check(z.describe('no: refused; null: there is no key')),
});

/** What `auth logout` prints. */
export const authLogoutOutput = z.object({
  profile: z.string(),
  removed: z.boolean().check(z.describe('there was a key')),
});
