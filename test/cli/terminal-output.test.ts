import { describe, expect, it } from 'vitest';
import { errorOf } from '../helpers/report.ts';
import { MemoryTerminal } from '../helpers/run-cli.ts';
import { createCommandRunner } from '../helpers/service-run.ts';

const cli = createCommandRunner();
const ESCAPE = '\u001b[';
const LIST = ['findings', 'list', '--task', 'tsk_0001'];

describe('a table', () => {
  it.each<[string, boolean, string[], Record<string, string>, columns: number | undefined]>([
    ['on a terminal', true, [], { TERM: 'xterm' }, 100],
    ['in a pipe', false, [], { TERM: 'xterm-256color', COLORTERM: 'truecolor' }, undefined],
    ['on a terminal with TERM=dumb', false, [], { TERM: 'dumb' }, 100],
    ['with --no-color, even with FORCE_COLOR', false, ['--no-color'], { FORCE_COLOR: '3' }, 100],
    ['with NO_COLOR, even with FORCE_COLOR', false, [], { NO_COLOR: '1', FORCE_COLOR: '1' }, 100],
    ['with an empty NO_COLOR', true, [], { TERM: 'xterm', NO_COLOR: '' }, 100],
    ['with FORCE_COLOR in a pipe', true, [], { FORCE_COLOR: '1' }, undefined],
    ['with an empty FORCE_COLOR in a pipe', false, [], { FORCE_COLOR: '' }, undefined],
    ['with FORCE_COLOR=0', false, [], { TERM: 'xterm', FORCE_COLOR: '0' }, 100],
    ['with FORCE_COLOR and TERM=dumb', true, [], { FORCE_COLOR: '1', TERM: 'dumb' }, 100],
    ['in a pipe in CI', false, [], { CI: 'true', GITHUB_ACTIONS: 'true' }, undefined],
  ])('%s is colored: %s', async (_name, isColored, argv, env, columns) => {
    const { stdout } = await cli.sandbox([...LIST, ...argv], { env, ...(columns === undefined ? {} : { columns }) });
    expect(stdout.includes(ESCAPE)).toBe(isColored);
  });
});

describe('an error', () => {
  const unknown = ['findings', 'list', '--task', `tsk_${'x'.repeat(60)}`];

  it('has a colored label on a terminal', async () => {
    const { stderr } = await cli.sandbox(unknown, { terminal: new MemoryTerminal([]), env: { TERM: 'xterm' } });
    expect(stderr).toContain(`${ESCAPE}31merror:${ESCAPE}39m `);
  });

  it('has the message and the hint in a pipe, in one line each', async () => {
    const { stderr } = await cli.sandbox(unknown);
    expect(stderr).toMatch(/^error: [^\n]+\nhint: [^\n]+\n$/);
  });

  it('is followed by its stack and its causes with --debug, also in JSON', async () => {
    const { service, run } = await cli.scripted([]);
    await service.close();
    const argv = ['findings', 'list', '--all', '--debug', '--retries', '0'];
    expect((await run(argv)).stderr).toMatch(/\nerror: .*\n[\s\S]* +at [\s\S]*\n *caused by: .*ECONNREFUSED/);
    const { stderr } = await run([...argv, '--json']);
    const { error } = { error: errorOf({ stderr }) };
    expect(error.stack).toMatch(/caused by: .*ECONNREFUSED/);
  });
});
