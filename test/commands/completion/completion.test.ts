import { describe, expect, it } from 'vitest';
import { createCommandRunner, expectUsageError } from '../../helpers/service-run.ts';

const cli = createCommandRunner();

describe('orgadm completion', () => {
  it.each(['bash', 'zsh', 'fish'])('prints a script for %s with commands, options, and their values', async (shell) => {
    const { code, stdout, stderr } = await cli.plain(['completion', shell]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const word of ['bulk-add', 'min-severity', 'people_devices', 'base-url', 'wire.member.existing', 'exit-codes'])
      expect(stdout).toContain(word);
  });

  it('depends on no configuration, so the startup file of a shell never fails', async () => {
    const env = { ORGADM_PROFILE: '-', ORGADM_OUTPUT: 'nonsense', ORGADM_CONFIG_DIR: '/dev/null' };
    expect(await cli.plain(['completion', 'bash'], { env })).toMatchObject({ code: 0, stderr: '' });
  });

  it('rejects another shell', async () => {
    expectUsageError(await cli.plain(['completion', 'tcsh']), 'completion: "tcsh" …', 'Allowed: bash, zsh, fish.');
  });
});
