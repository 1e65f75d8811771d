import * as z from 'zod/mini';
import { withExamples } from './render-schema.ts';

/** What `auth login` prints. */
export const authLoginOutput = withExamples(
  z.object({
    profile: z.string(),
    baseUrl: z.string(),
    verified: z.boolean().check(z.describe('the service accepted the key, and it may read findings')),
    detail: z.nullable(z.string()).check(z.describe('why the key is not verified')),
    file: z.string().check(z.describe('where the key is kept')),
  }),
  {
    profile: 'default',
    baseUrl: 'https://api.example.com',
    verified: true,
    detail: null,
    file: '/home/ada/.config/orgadm/credentials.json',
  },
);

/** What `auth status` prints; never the key. */
export const authStatusOutput = withExamples(
  z.object({
    profile: z.string(),
    baseUrl: z.nullable(z.string()),
    baseUrlFrom: z.nullable(z.string()).check(z.describe('the option, variable or profile that set it')),
    keyFrom: z.nullable(z.string()).check(z.describe('the option, variable or profile that holds the key')),
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
    verifiedBy: z
      .nullable(z.enum(['request', 'login']))
      .check(z.describe('how the key was verified; login: when it was stored, with --offline')),
    user: z
      .nullable(z.object({ id: z.nullable(z.string()), email: z.nullable(z.string()) }))
      .check(z.describe('whom the key authenticates as, if the service says so')),
  }),
  {
    profile: 'default',
    baseUrl: null,
    baseUrlFrom: null,
    keyFrom: null,
    verified: null,
    detail: null,
    verifiedBy: null,
    user: null,
  },
);

/** What `auth logout` prints. */
export const authLogoutOutput = withExamples(
  z.object({ profile: z.string(), removed: z.boolean().check(z.describe('there was a key')) }),
  { profile: 'default', removed: false },
);
