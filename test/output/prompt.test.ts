import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as prompts from '../../src/output/prompt.ts';
import { drawnText, MemoryTerminal, memoryHost } from '../helpers/run-cli.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const [DOWN, ENTER, CTRL_Z] = ['\x1b[B', '\r', '\x1a'];
const CHOICES = ['red', 'green', 'blue'].map((value) => ({ value, label: value.toUpperCase(), hint: `${value}ish` }));
const any = () => undefined;

type Ask = (terminal: prompts.PromptTerminal) => Promise<unknown>;

/** Answers a question. Whatever the answer, the terminal is as it was before. */
async function answer(ask: Ask, typed: readonly string[], columns = 80) {
  const terminal = new MemoryTerminal(typed);
  const { host, stderr } = memoryHost('/nowhere', { terminal, columns, env: { NO_COLOR: '1' } });
  const redact = (text: string) => text.replace('secret', '***');
  const result = await ask({ host, color: undefined, redact, undone: 'Nothing was sent.' }).catch((error) => error);
  expect(terminal.rawModes).toEqual([true, false]);
  expect(stderr.text.lastIndexOf('\x1b[?25h')).toBeGreaterThan(stderr.text.lastIndexOf('\x1b[?25l'));
  return { result, stderr: stderr.text, shown: drawnText(stderr.text) };
}

const QUESTIONS: [name: string, ask: Ask, typed: string[], expected: unknown][] = [
  ['a confirmation', (terminal) => prompts.confirm('Sure?', terminal), ['y'], true],
  ['a confirmation without a reply', (terminal) => prompts.confirm('Sure?', terminal), [ENTER], false],
  ['a choice', (terminal) => prompts.select('Which?', CHOICES, terminal), [DOWN, ENTER], 'green'],
  ['a choice with a suggestion', (terminal) => prompts.select('Which?', CHOICES, terminal, 'blue'), [ENTER], 'blue'],
  ['a choice by name', (terminal) => prompts.autocomplete('Which?', CHOICES, terminal), ['blu', ENTER], 'blue'],
  [
    'several choices with a suggestion',
    (terminal) => prompts.multiselect('Which?', CHOICES, terminal, ['blue']),
    [' ', DOWN, ' ', ENTER],
    ['blue', 'red', 'green'],
  ],
  ['a text', (terminal) => prompts.typedText('What?', any, terminal), [' a b ', ENTER], 'a b'],
  ['a key, which is not shown', (terminal) => prompts.password('Key?', any, terminal), ['hush ', ENTER], 'hush'],
];

describe('the question for', () => {
  it.each(QUESTIONS)(
    '%s is answered, ignores Ctrl-Z, and is canceled by Ctrl-C, Ctrl-D, and Escape',
    async (_name, ask, typed, expected) => {
      for (const columns of [80, 40]) {
        const { result, stderr } = await answer(ask, [CTRL_Z, ...typed], columns);
        expect(result).toEqual(expected);
        expect(stderr).not.toMatch(/\x1b\[[\d;]*m|hush/);
      }
      for (const key of ['\x03', '\x04', '\x1b']) {
        const { result } = await answer(ask, [key]);
        expect(result).toMatchObject({
          code: 'canceled',
          exitCode: 130,
          message: expect.stringContaining('Nothing was sent.'),
        });
      }
    },
  );

  it('a path completes the name of a file', async () => {
    const folder = temporaryFolder().path;
    writeFileSync(join(folder, 'directory.csv'), '');
    const ask: Ask = (terminal) => prompts.path('Where?', any, terminal);
    expect((await answer(ask, [`\x15${folder}/dir`, ENTER])).result).toBe(`${folder}/directory.csv`);
  });

  it('a text shows what is wrong with the answer, and asks again', async () => {
    const validate = (typed: string) => (typed === 'right' ? undefined : `not \x1b[2J${typed}`);
    const ask: Ask = (terminal) => prompts.typedText('What?', validate, terminal);
    const { result, shown } = await answer(ask, ['wrong\r\x15right\r']);
    expect(result).toBe('right');
    expect(shown).toMatch(/not (?:\\u001b\[2J)?wrong/);
  });

  it('a choice shows texts of others without controls and secrets', async () => {
    const hostile = 'a\x1b[2J\nerror: \u202esecret';
    const ask: Ask = (terminal) => prompts.select(hostile, [{ value: 'a', label: hostile, hint: hostile }], terminal);
    const { stderr, shown } = await answer(ask, [ENTER]);
    expect(stderr).not.toContain('\x1b[2J');
    expect(stderr).not.toMatch(/\u202e|secret|^error/m);
    expect(shown).toContain('***');
  });
});
