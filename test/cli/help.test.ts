import { describe, expect, it } from 'vitest';
import { COMMANDS, NOUNS } from '../../src/cli/command-table.ts';
import { TOPICS } from '../../src/cli/help.ts';
import { createCommandRunner } from '../helpers/service-run.ts';

/* docs/reference.md has the pages, and its test compares them. */

const cli = createCommandRunner();

const PAGES = [
  ['--help'],
  ...COMMANDS.map(({ name }) => [...name.split(' '), '--help']),
  ...Object.keys(NOUNS).map((noun) => [noun]),
  ...Object.keys(TOPICS).map((topic) => ['help', topic]),
];

/** Whether a line fits, or holds an example or one word that is too long for any line. */
function fits(line: string, columns: number): boolean {
  return line.length <= columns || /^ *(?:(?:\$|#|orgadm) .*|\S+)$/.test(line);
}

describe('help', () => {
  it.each([
    { page: ['--help'], others: [[], ['-h'], ['help']] },
    { page: ['people', '--help'], others: [['people'], ['people', '--json']] },
    {
      page: ['people', 'bulk-add', '--help'],
      others: [
        ['people', 'bulk-add', '-h'],
        ['help', 'people', 'bulk-add'],
      ],
    },
    { page: ['help', 'exit-codes'], others: [['help', 'exit-codes', '--json']] },
  ])('is the same page by each way to ask for it: $page', async ({ page, others }) => {
    const { code, stdout, stderr } = await cli.plain(page);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.length).toBeGreaterThan(100);
    for (const argv of others) expect(await cli.plain(argv)).toMatchObject({ code: 0, stdout, stderr: '' });
  });

  it.each([80, 200])('is wrapped at a terminal of %d columns, at 100 at most', async (columns) => {
    for (const page of PAGES) {
      const { stdout } = await cli.plain(page, { columns, env: { NO_COLOR: '1' } });
      const wide = stdout.split('\n').filter((line) => !fits(line, Math.min(columns, 100)));
      expect({ page, wide }).toEqual({ page, wide: [] });
    }
  });

  it('has each example on one line, so that it can be pasted from a narrow terminal', async () => {
    const { stdout } = await cli.plain(['role', 'update', '--help'], { columns: 60, env: { NO_COLOR: '1' } });
    expect(stdout).toContain(
      '\n  $ orgadm role update rol_custom_1 --permission control=read,update --permission risk=read --sandbox\n',
    );
  });

  it.each([['--help'], ['config', 'set', '--help'], ['help', 'settings'], ['completion', 'bash']])(
    'and completion need no valid settings: %s %s',
    async (...argv) => {
      const env = { ORGADM_OUTPUT: 'nonsense', ORGADM_CONFIG_DIR: '/dev/null', ORGADM_PROFILE: '-' };
      expect(await cli.plain(argv, { env })).toMatchObject({ code: 0, stderr: '' });
    },
  );
});
