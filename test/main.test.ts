import { describe, expect, it } from 'vitest';
import { main } from '../src/main.ts';
import { memoryHost } from './helpers/run-cli.ts';
import { createCommandRunner, expectUsageError } from './helpers/service-run.ts';

const cli = createCommandRunner();

describe('orgadm', () => {
  it.each(['--version', '-V'])('prints with %s its version and nothing else', async (flag) => {
    const { code, stdout, stderr } = await cli.plain([flag]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it('does not call it a bug if the process may open no more files', async () => {
    const { host, stderr } = memoryHost(cli.file('.'));
    Object.defineProperty(host, 'uid', {
      get() {
        throw Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' });
      },
    });
    expect(await main(['runs', 'list'], host)).toBe(1);
    expect(stderr.text).toBe('error: too many open files (EMFILE)\n');
  });

  it.each(['win32', 'freebsd'] as const)(
    'says on %s that it runs on Linux and macOS only, and why',
    async (platform) => {
      for (const argv of [
        ['people', 'template'],
        ['auth', 'status'],
      ]) {
        const result = await cli.plain(argv, { platform });
        expectUsageError(result, `orgadm runs on Linux and macOS, not on ${platform}`, '… file locks …');
      }
    },
  );

  it('runs on macOS', async () => {
    expect(await cli.plain(['people', 'template'], { platform: 'darwin' })).toMatchObject({ code: 0, stderr: '' });
  });
});
