import { describe, expect, it } from 'vitest';
import { createCommandRunner } from '../../helpers/service-run.ts';

const cli = createCommandRunner();

describe.each(['userId', 'role'])('an invisible character in %s', (field) => {
  it.each([
    ['a zero-width space', '\u200b', 'U+200B'],
    ['a zero-width non-joiner', '\u200c', 'U+200C'],
    ['a zero-width joiner', '\u200d', 'U+200D'],
    ['a soft hyphen', '\u00ad', 'U+00AD'],
    ['a mark that reverses text', '\u202e', 'U+202E'],
    ['a control character', '\u0007', 'U+0007'],
  ])('makes the row invalid: %s', async (_name, character, code) => {
    const entry = { userId: 'usr_1', role: 'member', [field]: `ab${character}c` };
    const { service, run } = await cli.scripted([]);
    const result = await run(['people', 'bulk-add', '-', '--json'], { stdin: JSON.stringify([entry]) });
    expect(result.code).toBe(2);
    expect(result.json()).toMatchObject({
      rows: [
        { state: 'invalid', error: expect.stringContaining(`contains ${code}, which is not a visible character`) },
      ],
    });
    expect(service.requests).toEqual([]);
  });
});
