import * as z from 'zod/mini';
import { countSchema, withDescription, withExample } from '../output-schema.ts';

/** The output of `findings list`. The fields of a finding are not fixed (interface 2.5). */
export const findingsListOutput = withExample(
  z.union([
    withDescription(z.array(z.looseObject({})), 'the findings, each as the service returned it'),
    countSchema('with --count: the number of findings'),
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
);
