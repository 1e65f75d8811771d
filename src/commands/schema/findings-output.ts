import * as z from 'zod/mini';
import { countSchema, withExamples } from './render-schema.ts';

const valueCount = z.object({
  value: z.unknown().check(z.describe('as the service sent it; null for findings without the field')),
  count: countSchema('findings with this value'),
});

/** What `findings list` prints. The fields of a finding are not fixed (interface 2.5). */
export const findingsListOutput = withExamples(
  z.union([
    z.array(z.looseObject({})).check(z.describe('the findings, each as the service returned it')),
    countSchema('with --count: the number of findings'),
    z.array(valueCount).check(z.describe('with --count --group-by: the number of findings with each value')),
    z.array(z.string()).check(z.describe('with --columns help: the names of the fields')),
  ]),
  [
    {
      id: 'fnd_0047',
      type: 'iso27001',
      status: 'needs_revision',
      severity: 'medium',
      content: 'Sign-off is missing.',
      createdAt: '2025-04-18T08:30:00.000Z',
      scope: 'people',
      createdBy: { id: 'mem_00002', user: { name: 'Ben Haddad', email: 'ben.haddad@mail.example.com' } },
    },
  ],
  3,
  [
    { value: 'high', count: 1 },
    { value: 'medium', count: 1 },
    { value: null, count: 1 },
  ],
  ['id', 'status', 'severity', 'createdBy.user.name'],
);
