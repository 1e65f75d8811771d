import { EventEmitter } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as prompts from '../../src/output/prompt.ts';
import { drawnText, MemoryTerminal, memoryHost } from '../helpers/run-cli.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const [DOWN, ENTER] = ['\x1b[B', '\r'];
const CHOICES = ['red', 'green', 'blue'].map((value) => ({ value, label: value.toUpperCase(), hint: `${value}ish` }));
const any = () => undefined;

type Ask = (terminal: prompts.PromptTerminal) => Promise<unknown>;

async function answer(ask: Ask, typed: readonly string[], columns = 80) {
  const signals = new EventEmitter();
  const terminal = new MemoryTerminal(typed, () => signals.emit('asked'));
  const { host, stderr } = memoryHost('/nowhere', { terminal, columns, signals, env: { NO_COLOR: '1' } });
  const redact = (text: string) => text.replace('secret', '***');
  const result = await ask({ host, color: undefined, redact, undone: 'Nothing was sent.' }).catch((error) => error);
  return { result, stderr: stderr.text, shown: drawnText(stderr.text), rawModes: terminal.rawModes, signals };
}

const QUESTIONS: [name: string, ask: Ask, typed: string[], expected: unknown][] = [
  ['confirm', (terminal) => prompts.confirm('Sure?', terminal), ['y'], true],
  ['confirm, without a reply', (terminal) => prompts.confirm('Sure?', terminal), [ENTER], false],
  ['select', (terminal) => prompts.select('Which?', CHOICES, terminal), [DOWN, ENTER], 'green'],
  ['select, with a suggestion', (terminal) => prompts.select('Which?', CHOICES, terminal, 'blue'), [ENTER], 'blue'],
  ['autocomplete', (terminal) => prompts.autocomplete('Which?', CHOICES, terminal), ['blu', ENTER], 'blue'],
  [
    'multiselect',
    (terminal) => prompts.multiselect('Which?', CHOICES, terminal),
    [' ', DOWN, ' ', ENTER],
    ['red', 'green'],
  ],
  [
    'multiselect, with suggestions',
    (terminal) => prompts.multiselect('Which?', CHOICES, terminal, ['blue']),
    [ENTER],
    ['blue'],
  ],
  ['text', (terminal) => prompts.typedText('What?', any, terminal), [' a b ', ENTER], 'a b'],
  ['password', (terminal) => prompts.password('Key?', any, terminal), ['hush ', ENTER], 'hush'],
];

describe('a question', () => {
  it.each(QUESTIONS)('%s is answered', async (_, ask, typed, expected) => {
    for (const columns of [80, 40]) {
      const { result, rawModes, stderr } = await answer(ask, typed, columns);
      expect(result).toEqual(expected);
      expect(rawModes).toEqual([true, false]);
      expect(stderr.lastIndexOf('\x1b[?25h')).toBeGreaterThan(stderr.lastIndexOf('\x1b[?25l'));
      expect(stderr).not.toMatch(/\x1b\[[\d;]*m|hush/);
    }
  });

  it('path completes the name of a file', async () => {
    const folder = temporaryFolder().path;
    writeFileSync(join(folder, 'directory.csv'), '');
    const ask: Ask = (terminal) => prompts.path('Where?', any, terminal);
    const { result } = await answer(ask, [`\x15${folder}/dir`, ENTER]);
    expect(result).toBe(`${folder}/directory.csv`);
  });

  it.each(QUESTIONS)('%s is canceled by Ctrl-C, Ctrl-D, and Escape', async (_, ask) => {
    for (const key of ['\x03', '\x04', '\x1b']) {
      const { result, rawModes, stderr } = await answer(ask, [key]);
      expect(result).toMatchObject({ code: 'canceled', exitCode: 130, message: 'Canceled. Nothing was sent.' });
      expect(rawModes).toEqual([true, false]);
      expect(stderr.lastIndexOf('\x1b[?25h')).toBeGreaterThan(stderr.lastIndexOf('\x1b[?25l'));
    }
  });

  it.each(QUESTIONS)('%s ignores Ctrl-Z', async (_, ask, typed, expected) => {
    expect((await answer(ask, ['\x1a', ...typed])).result).toEqual(expected);
  });

  it('shows what is wrong with an answer, and asks again', async () => {
    const validate = (typed: string) => (typed === 'right' ? undefined : `not \x1b[2J${typed}`);
    const { result, shown } = await answer(
      (terminal) => prompts.typedText('What?', validate, terminal),
      ['wrong\r\x15right\r'],
    );
    expect({ result, isShown: shown.includes('not \\u001b[2Jwrong') || shown.includes('not wrong') }).toEqual({
      result: 'right',
      isShown: true,
    });
  });

  it('shows texts of others without controls and secrets', async () => {
    const hostile = 'a\x1b[2J\nerror: \u202esecret';
    const ask: Ask = (terminal) => prompts.select(hostile, [{ value: 'a', label: hostile, hint: hostile }], terminal);
    const { stderr, shown } = await answer(ask, [ENTER]);
    expect(stderr).not.toContain('\x1b[2J');
    expect(stderr).not.toMatch(/\u202e|secret|^error/m);
    expect(shown).toContain('***');
  });
});
