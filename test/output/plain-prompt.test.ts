import { describe, expect, it } from 'vitest';
import { promptChoices } from '../../src/output/prompt.ts';
import { MemoryTerminal, memoryHost } from '../helpers/run-cli.ts';

const CHOICES = ['red', 'green', 'blue'].map((value) => ({ value, label: value.toUpperCase() }));

async function choose(typed: string, initial: readonly string[] = []) {
  const { host, stderr } = memoryHost('/nowhere', { terminal: new MemoryTerminal([typed]), env: { TERM: 'dumb' } });
  const terminal = { host, color: undefined, redact: (text: string) => text, undone: 'nothing was sent' };
  return { chosen: await promptChoices('Which ones?', CHOICES, terminal, initial), shown: stderr.text };
}

describe('a prompt for several answers, in lines', () => {
  it.each([
    ['2\r', ['green']],
    ['3, 1\r', ['red', 'blue']],
    ['1 2 3\r', ['red', 'green', 'blue']],
  ])('reads their numbers: %j', async (typed, chosen) => {
    expect((await choose(typed)).chosen).toEqual(chosen);
  });

  it.each(['\r', '4\r', '0\r', 'red\r'])('asks again after %j', async (typed) => {
    const { chosen, shown } = await choose(`${typed}1\r`);
    expect(chosen).toEqual(['red']);
    expect(shown).toContain('Type the numbers of the answers: 1,2\n');
  });

  it('accepts the suggested answers with Enter', async () => {
    const { chosen, shown } = await choose('\r', ['green', 'blue']);
    expect(chosen).toEqual(['green', 'blue']);
    expect(shown).toBe(`Which ones?
  1. RED
  2. GREEN
  3. BLUE
Type one or more numbers, separated by commas, or press Enter for 2,3: `);
  });
});
