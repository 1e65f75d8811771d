import { describe, expect, it } from 'vitest';
import { createPaint, hasColor, isAnimated } from '../../src/output/style.ts';

const terminal = { isTTY: true };
const pipe = {};

describe('hasColor', () => {
  it.each<[string, boolean, Record<string, string>, { isTTY?: boolean }, boolean | undefined]>([
    ['a terminal', true, { TERM: 'xterm' }, terminal, undefined],
    ['a pipe', false, { TERM: 'xterm-256color', COLORTERM: 'truecolor' }, pipe, undefined],
    ['TERM=dumb', false, { TERM: 'dumb' }, terminal, undefined],
    ['--no-color', false, { TERM: 'xterm' }, terminal, false],
    ['--no-color and FORCE_COLOR', false, { FORCE_COLOR: '3' }, terminal, false],
    ['NO_COLOR', false, { TERM: 'xterm', NO_COLOR: '1' }, terminal, undefined],
    ['an empty NO_COLOR', true, { NO_COLOR: '' }, terminal, undefined],
    ['NO_COLOR and FORCE_COLOR', false, { NO_COLOR: '1', FORCE_COLOR: '1' }, terminal, undefined],
    ['FORCE_COLOR in a pipe', true, { FORCE_COLOR: '1' }, pipe, undefined],
    ['an empty FORCE_COLOR in a pipe', false, { FORCE_COLOR: '' }, pipe, undefined],
    ['an empty FORCE_COLOR', true, { FORCE_COLOR: '' }, terminal, undefined],
    ['FORCE_COLOR=0', false, { FORCE_COLOR: '0' }, terminal, undefined],
    ['FORCE_COLOR and TERM=dumb', true, { FORCE_COLOR: '1', TERM: 'dumb' }, terminal, undefined],
    ['CI in a pipe', false, { CI: 'true', GITHUB_ACTIONS: 'true' }, pipe, undefined],
  ])('returns for %s: %s', (_name, isColored, env, stream, color) => {
    expect(hasColor({ color, env, stream })).toBe(isColored);
  });
});

describe('isAnimated', () => {
  it.each<[string, boolean, Record<string, string>, { isTTY?: boolean }, boolean | undefined]>([
    ['a terminal', true, { TERM: 'xterm' }, terminal, undefined],
    ['an empty NO_COLOR', true, { NO_COLOR: '' }, terminal, undefined],
    ['a pipe', false, { TERM: 'xterm' }, pipe, undefined],
    ['TERM=dumb', false, { TERM: 'dumb' }, terminal, undefined],
    ['NO_COLOR', false, { NO_COLOR: '1' }, terminal, undefined],
    ['--no-color', false, {}, terminal, false],
  ])('returns for %s: %s', (_name, animated, env, stream, color) => {
    expect(isAnimated({ color, env, stream })).toBe(animated);
  });
});

describe('createPaint', () => {
  const styles = ['ok', 'error', 'warn', 'accent', 'strong', 'dim'] as const;

  it('has a color for each meaning', async () => {
    const paint = await createPaint({ color: undefined, env: { TERM: 'xterm' }, stream: terminal });
    expect(styles.map((style) => paint(style, 'x'))).toEqual([
      '\x1b[32mx\x1b[39m',
      '\x1b[31mx\x1b[39m',
      '\x1b[33mx\x1b[39m',
      '\x1b[36mx\x1b[39m',
      '\x1b[1mx\x1b[22m',
      '\x1b[2mx\x1b[22m',
    ]);
  });
});
