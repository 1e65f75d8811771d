import type { BulkBody, Json } from '../helpers/organization.ts';
import type { Behaviors, Operation, Rejection } from './behaviors.ts';

/* The functions with which the table of variants is written. */

/** The expected result of a run: exit code, standard output in short, and a part of standard error. */
export type Expected = readonly [code: number, out: string, err?: RegExp];

export interface Variant {
  name: string;
  behaviors: Behaviors;
  /** One run for each operation in it. */
  expect: Partial<Record<Operation, Expected>>;
  /** Another list, other words of the command line, and a command to run first. */
  list?: string;
  messages?: Readonly<Record<string, string>>;
  first?: readonly string[];
}

export interface Point {
  /** The behavior that the interface defines or leaves open. */
  behaviors: string;
  variants: readonly Variant[];
}

/** The expected results for the default service. */
export const DEFAULTS = {
  role: [0, 'Lead Auditor control=read,update'],
  people: [3, 'created existing created failed'],
  domain: [0, 'ready'],
  findings: [0, 'fnd_1 fnd_2'],
} as const satisfies Record<Operation, Expected>;

const { role: ROLE_DONE, people: REPORTED, findings: LISTED } = DEFAULTS;

export const all = (name: string, behaviors: Behaviors): Variant => ({ name, behaviors, expect: DEFAULTS });
export const role = (name: string, change: (role: Json) => unknown, ...expect: Expected | []): Variant => ({
  name,
  behaviors: { role: change },
  expect: { role: expect.length === 0 ? ROLE_DONE : expect },
});
export const bulk = (name: string, change: (response: BulkBody) => unknown, ...expect: Expected | []): Variant => ({
  name,
  behaviors: { people: change },
  expect: { people: expect.length === 0 ? REPORTED : expect },
});
export const people = (
  name: string,
  behaviors: Behaviors,
  expect: Expected = REPORTED,
  more: Partial<Variant> = {},
): Variant => ({
  name,
  behaviors,
  expect: { people: expect },
  ...more,
});
export const domain = (name: string, fields: Json, expect: Expected): Variant => ({
  name,
  behaviors: { domain: (status) => ({ ...status, ...fields }) },
  expect: { domain: expect },
});
export const findings = (
  name: string,
  change: (list: readonly Json[]) => unknown,
  ...expect: Expected | []
): Variant => ({
  name,
  behaviors: { findings: change },
  expect: { findings: expect.length === 0 ? LISTED : expect },
});

/** Changes every row of one list of a bulk response. */
export const created = (change: (row: Json, at: number) => Json) => (response: BulkBody) => ({
  ...response,
  created: response.created.map(change),
});
export const errors = (change: (row: Json, at: number) => Json) => (response: BulkBody) => ({
  ...response,
  errors: response.errors.map(change),
});
export const byNumber = (row: Json): Json => ({ ...row, userId: Number(row.userId) });
export const without = (row: Json, ...names: string[]): Json =>
  Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)));

/** Rejects role updates only, with the message "name is taken" in some shape. */
export const shape = (
  name: string,
  body: unknown,
  err = /name is taken/,
  headers: Record<string, string> = {},
): Variant => ({
  name,
  behaviors: { reject: ({ operation }) => (operation === 'role' ? { status: 400, body, headers } : undefined) },
  expect: { role: [1, '', err] },
});

/** Rejects every request with a status. */
export const status = (code: number, expect: Variant['expect'], more: Partial<Rejection> = {}): Variant => ({
  name: String(code),
  behaviors: { reject: () => ({ status: code, body: { message: `message of ${code}`, statusCode: code }, ...more }) },
  expect,
});

/** Rejects a bulk request of more than two entries. */
export const limit = (name: string, code: number, body: unknown, most = 2): Variant =>
  people(name, { reject: ({ members }) => (members.length > most ? { status: code, body } : undefined) });

/** Rejects a bulk request that contains the person in third place. */
export const malformed = (name: string, code: number, body: (at: number) => unknown): Variant =>
  people(
    name,
    {
      reject({ members }) {
        const at = members.findIndex(({ userId }) => userId === 'usr_3');
        return at < 0 ? undefined : { status: code, body: body(at) };
      },
    },
    [3, 'created existing failed failed'],
  );

/** Rejects the first request of a run only. */
export const once = (rejection: Rejection): Behaviors => ({
  reject: ({ before }) => (before === 0 ? rejection : undefined),
});
