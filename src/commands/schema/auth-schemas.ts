import * as z from 'zod/mini';

/** What `auth login` prints. */
export const authLoginOutput = z.object({
  profile: z.string(),
  baseUrl: z.string(),
  verified: z.boolean().check(z.describe('the service accepted the key, and it may read findings')),
  detail: z.nullable(z.string()).check(z.describe('why the key is not verified')),
  file: z.string().check(z.describe('where the key is kept')),
});

/** What `auth status` prints; never the key. */
export const authStatusOutput = z.object({
  profile: z.string(),
  baseUrl: z.nullable(z.string()),
  baseUrlFrom: z.nullable(z.string()).check(z.describe('the flag, variable or profile that set it')),
  keyFrom: z.nullable(z.string()).check(z.describe('the flag, variable or profile that holds the key')),
  verified: z
    .nullable(z.enum(['yes', 'no-permission', 'no', 'unknown']))
    .check(
      z.describe(
        'no-permission: accepted, but without permission to read findings; no: rejected; null: there is no key',
      ),
    ),
  detail: z
    .nullable(z.string())
    .check(z.describe('why the key is not verified; null also if the service was not asked')),
});

/** What `auth logout` prints. */
export const authLogoutOutput = z.object({
  profile: z.string(),
  removed: z.boolean().check(z.describe('there was a key')),
});
