import { z } from 'zod';

/** What `findings list` prints. The fields of a finding are not fixed (interface 2.5). */
export const findingsListOutput = z.union([
  z.array(z.looseObject({})).describe('the findings, each as the service answered it'),
  z.number().int().min(0).describe('with --count'),
  z.array(z.string()).describe('with --columns help: the names of the fields'),
]);
