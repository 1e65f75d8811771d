import * as z from 'zod/mini';
import { nullableText, textSchema, withDescription, withExample } from '../output-schema.ts';

/** The output of `auth login`. */
export const authLoginOutput = withExample(
  z.object({
    profile: z.string(),
    baseUrl: z.string(),
    verified: withDescription(z.boolean(), 'the service accepted the key, and it may read findings'),
    detail: nullableText('why the key is not verified'),
    file: textSchema('the file that contains the key'),
  }),
  {
    profile: 'default',
    baseUrl: 'https://api.example.com',
    verified: true,
    detail: null,
    file: '/home/ada/.config/orgadm/credentials.json',
  },
);

const authStatus = z.object({
  profile: z.string(),
  baseUrl: z.nullable(z.string()),
  baseUrlFrom: nullableText('the option, variable, or profile that set it'),
  keyFrom: nullableText('the option, variable, or profile that holds the key'),
  keyCommand: withDescription(z.nullable(z.array(z.string())), 'the program that prints the key'),
  verified: withDescription(
    z.nullable(z.enum(['yes', 'no-permission', 'no', 'unknown'])),
    'no-permission: accepted, but without permission to read findings; no: rejected; null: no key',
  ),
  detail: nullableText('why the key is not verified; null also if orgadm did not ask the service'),
  verifiedBy: withDescription(
    z.nullable(z.enum(['request', 'login'])),
    'how the key was verified; login: when it was stored, with --offline',
  ),
  user: withDescription(
    z.nullable(z.object({ id: z.nullable(z.string()), email: z.nullable(z.string()) })),
    'the caller that the key authenticates, if the service names it',
  ),
});

/** The service and the key of a profile; never the key itself. */
export type AuthStatus = z.output<typeof authStatus>;

/** The output of `auth status`. */
export const authStatusOutput = withExample(authStatus, {
  profile: 'default',
  baseUrl: null,
  baseUrlFrom: null,
  keyFrom: null,
  keyCommand: null,
  verified: null,
  detail: null,
  verifiedBy: null,
  user: null,
});

/** The output of `auth logout`. */
export const authLogoutOutput = withExample(
  z.object({ profile: z.string(), removed: withDescription(z.boolean(), 'there was a key') }),
  { profile: 'default', removed: false },
);
