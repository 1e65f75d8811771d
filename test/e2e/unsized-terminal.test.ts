import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { ORGADM } from '../helpers/orgadm-program.ts';
import { type PseudoTerminalOptions, runOnPseudoTerminal } from '../helpers/pseudo-terminal.ts';
import { runCli } from '../helpers/run-cli.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const MEMBERS = fileURLToPath(new URL('../fixtures/members.csv', import.meta.url));

/** The tool is killed after this many seconds, because it once looped forever. */
const LONGEST_SECONDS = '20';

const folder = temporaryFolder();

/** Runs the built tool on a real pseudo-terminal without a size, such as that of `script` in a CI job. */
async function onUnsizedTerminal(
  argv: readonly string[],
  style: Record<string, string> = { NO_COLOR: '1' },
  keys: Pick<PseudoTerminalOptions, 'prompt' | 'typed'> = {},
): Promise<{ code: number; shown: string }> {
  const command = ['timeout', '--foreground', '-s', 'KILL', LONGEST_SECONDS, ...ORGADM, ...argv];
  // The size is printed first, to prove that there is none.
  const { code, shown } = await runOnPseudoTerminal(['sh', '-c', 'stty size && exec "$@"', 'sh', ...command], {
    env: {
      HOME: folder.path,
      TERM: 'xterm',
      ...style,
      ORGADM_STATE_DIR: folder.file('state'),
      ORGADM_CONFIG_DIR: folder.file('config'),
    },
    ...keys,
  });
  const [size, ...lines] = shown.split('\r\n');
  expect(size).toBe('0 0');
  return { code, shown: lines.join('\n') };
}

/** The same on a terminal of 80 columns. */
async function at80(argv: readonly string[]): Promise<string> {
  const { stdout, stderr } = await runCli(folder.path, argv, { columns: 80, env: { NO_COLOR: '1' } });
  return stdout + stderr;
}

describe('a terminal of 0 columns', () => {
  it('shows no line that is drawn again and again during an import', async () => {
    const argv = ['people', 'bulk-add', MEMBERS, '--batch-size', '5', '--concurrency', '1'];
    const { code, shown } = await onUnsizedTerminal([...argv, '--sandbox', '--fault', 'latency=200ms'], {});
    expect(code).toBe(3);
    expect(stripVTControlCharacters(shown)).toMatch(/1 \w+, 12 \w+, 1 \w+ /);
    expect(shown.length).toBeLessThan(10_000);
  }, 30_000);

  it('has room for a question', async () => {
    const keys = { prompt: '○ Yes', typed: ['\u0003'] };
    const argv = ['people', 'bulk-add', MEMBERS, '--base-url', 'http://127.0.0.1:9'];
    const { code } = await onUnsizedTerminal(argv, { NO_COLOR: '1', ORGADM_API_KEY: 'k'.repeat(20) }, keys);
    expect(code).toBe(130);
  }, 30_000);

  it.each([[['findings', 'list', '--task', 'tsk_0002', '--sandbox']], [['help', 'environment']]])(
    'shows %j like a terminal of 80 columns',
    async (argv) => {
      expect(await onUnsizedTerminal(argv)).toEqual({ code: 0, shown: await at80(argv) });
    },
    30_000,
  );
});
