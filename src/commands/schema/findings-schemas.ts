import * as z from 'zod/mini';

/** What `findings list` prints. The fields of a finding are not fixed (interface 2.5). */
export const findingsListOutput = z.union([
  z.array(z.looseObject({})).check(z.describe('the findings, each as the service answered it')),
  z.int().check(z.minimum(0), z.describe('with --count')),
  z.array(z.string()).check(z.describe('with --columns help: the names of the fields')),
]);
