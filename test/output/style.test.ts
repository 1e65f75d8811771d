import { describe, expect, it } from 'vitest';
import { colorLevel, createStyle, isAnimated } from '../../src/output/style.ts';

const terminal = { isTTY: true };
const pipe = {};

describe('colorLevel', () => {
  it.each<[string, Record<string, string>, { isTTY?: boolean }, boolean | undefined, number]>([
    ['a terminal', { TERM: 'xterm' }, terminal, undefined, 1],
    ['a terminal without TERM', {}, terminal, undefined, 1],
    ['256 colors', { TERM: 'xterm-256color' }, terminal, undefined, 2],
    ['true color', { TERM: 'xterm-256color', COLORTERM: 'truecolor' }, terminal, undefined, 3],
    ['a pipe', { TERM: 'xterm-256color', COLORTERM: 'truecolor' }, pipe, undefined, 0],
    ['TERM=dumb', { TERM: 'dumb' }, terminal, undefined, 0],
    ['--no-color', { TERM: 'xterm' }, terminal, false, 0],
    ['--no-color beats FORCE_COLOR', { FORCE_COLOR: '3' }, terminal, false, 0],
    ['color: true is not a wish', {}, pipe, true, 0],
    ['NO_COLOR', { TERM: 'xterm', NO_COLOR: '1' }, terminal, undefined, 0],
    ['NO_COLOR=0 is set too', { NO_COLOR: '0' }, terminal, undefined, 0],
    ['an empty NO_COLOR', { NO_COLOR: '' }, terminal, undefined, 1],
    ['NO_COLOR beats FORCE_COLOR', { NO_COLOR: '1', FORCE_COLOR: '1' }, terminal, undefined, 0],
    ['FORCE_COLOR in a pipe', { FORCE_COLOR: '1' }, pipe, undefined, 1],
    ['an empty FORCE_COLOR', { FORCE_COLOR: '' }, pipe, undefined, 1],
    ['FORCE_COLOR=true', { FORCE_COLOR: 'true' }, pipe, undefined, 1],
    ['FORCE_COLOR=2', { FORCE_COLOR: '2' }, pipe, undefined, 2],
    ['FORCE_COLOR=3', { FORCE_COLOR: '3' }, pipe, undefined, 3],
    ['FORCE_COLOR=0', { FORCE_COLOR: '0' }, terminal, undefined, 0],
    ['FORCE_COLOR=false', { FORCE_COLOR: 'false' }, terminal, undefined, 0],
    ['FORCE_COLOR beats TERM=dumb', { FORCE_COLOR: '1', TERM: 'dumb' }, terminal, undefined, 1],
    ['CI in a pipe', { CI: 'true', GITHUB_ACTIONS: 'true' }, pipe, undefined, 0],
    ['CI on a terminal', { CI: 'true', TERM: 'xterm' }, terminal, undefined, 1],
  ])('%s', (_name, env, stream, color, level) => {
    expect(colorLevel({ color, env, stream })).toBe(level);
  });
});

describe('isAnimated', () => {
  it.each<[string, Record<string, string>, { isTTY?: boolean }, boolean | undefined, boolean]>([
    ['a terminal', { TERM: 'xterm' }, terminal, undefined, true],
    ['an empty NO_COLOR and ORGADM_NO_SPINNER', { NO_COLOR: '', ORGADM_NO_SPINNER: '' }, terminal, undefined, true],
    ['a pipe', { TERM: 'xterm' }, pipe, undefined, false],
    ['a pipe with FORCE_COLOR', { FORCE_COLOR: '1' }, pipe, undefined, false],
    ['TERM=dumb', { TERM: 'dumb' }, terminal, undefined, false],
    ['NO_COLOR', { NO_COLOR: '1' }, terminal, undefined, false],
    ['ORGADM_NO_SPINNER', { ORGADM_NO_SPINNER: '1' }, terminal, undefined, false],
    ['--no-color', {}, terminal, false, false],
  ])('%s', (_name, env, stream, color, animated) => {
    expect(isAnimated({ color, env, stream })).toBe(animated);
  });
});

it('without color, text is unchanged', async () => {
  const style = await createStyle({ color: undefined, env: {}, stream: pipe });
  const painted = [style.ok, style.error, style.warn, style.accent, style.strong, style.dim].map((paint) => paint('x'));
  expect(painted).toEqual(['x', 'x', 'x', 'x', 'x', 'x']);
});

it('with color, each meaning has its own', async () => {
  const style = await createStyle({ color: undefined, env: { TERM: 'xterm' }, stream: terminal });
  expect(style.ok('x')).toBe('\x1b[32mx\x1b[39m');
  expect(style.error('x')).toBe('\x1b[31mx\x1b[39m');
  expect(style.warn('x')).toBe('\x1b[33mx\x1b[39m');
  expect(style.accent('x')).toBe('\x1b[36mx\x1b[39m');
  expect(style.strong('x')).toBe('\x1b[1mx\x1b[22m');
  expect(style.dim('x')).toBe('\x1b[2mx\x1b[22m');
});
