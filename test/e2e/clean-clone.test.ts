import { readFileSync, realpathSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { documentedCommands, isSameOutput, shellIn } from '../docs/console-blocks.ts';
import { npmEnvironment } from '../helpers/npm-environment.ts';
import { closeAfterTests } from '../helpers/opened.ts';
import { temporaryCliDirectory } from '../helpers/run-cli.ts';
import { copyWorkingTree } from '../helpers/working-copy.ts';

const folder = temporaryCliDirectory();
const opened = closeAfterTests();

describe('a clean clone', () => {
  // npm installs the packages from its cache or the registry, builds the program, and installs it in a folder of the test.
  it('prints what the walkthrough shows', async () => {
    const home = join(folder.path, 'home');
    const npm = npmEnvironment(home);
    const prefix = join(home, 'installed');
    copyWorkingTree(join(folder.path, 'orgadm'));
    const PATH = `${join(prefix, 'bin')}:${npm.PATH}`;
    const clone = realpathSync(join(folder.path, 'orgadm'));
    const shell = opened(shellIn(clone, { ...npm, npm_config_prefix: prefix, PATH }));

    const markdown = readFileSync('docs/walkthrough.md', 'utf8');
    const lines = markdown.split('\n');
    const commands = documentedCommands(markdown);
    const executions = await shell.run(commands.map(({ text }) => text));
    // Its packages are thousands of files, which can take longer than a hook may.
    await rm(clone, { recursive: true });
    for (const [index, { text, exitCode, output }] of commands.entries()) {
      const { exitCode: actual, printed = '' } = executions[index] ?? {};
      const shown = lines.slice(...output);
      // The walkthrough does not show what npm prints before the program runs.
      const expected = text.startsWith('npm ') ? ['…', ...shown] : shown;
      const isAsShown = expected.length === 0 ? printed === '' : isSameOutput(expected, printed);
      expect({ text, exitCode: actual, printed: isAsShown ? '' : printed }).toEqual({ text, exitCode, printed: '' });
    }
  }, 300_000);
});
