import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { closeAfterTests } from '../helpers/opened.ts';
import { createBinRunner } from '../helpers/orgadm-process.ts';
import { addsAnyone } from '../helpers/people-service.ts';
import { startScriptedService } from '../helpers/scripted-service.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

/* The built program, after an exception that nothing in it catches. */

const opened = closeAfterTests();
const folder = temporaryFolder();
const run = createBinRunner(folder, { ORGADM_API_KEY: 'key-of-the-last-resort' });

/** Throws an exception outside of orgadm's code, as soon as the headers of a response to this method arrive for the n-th time. */
function crashAt(method: string, time: number): Record<string, string> {
  const file = folder.file('crash.cjs');
  const code = `let times = 0;
require('node:diagnostics_channel').subscribe('undici:request:headers', ({ request }) => {
  if (request.method === '${method}' && ++times === ${time}) throw new Error('a defect\\nin a package');
});`;
  writeFileSync(file, code);
  return { NODE_OPTIONS: `--require=${file}` };
}

describe('a process that ends before its command', () => {
  it('exits 1', async () => {
    // An input that never ends, and that the event loop does not know.
    const preload = folder.file('endless.cjs');
    writeFileSync(
      preload,
      "Object.defineProperty(process, 'stdin', { value: new (require('node:stream').Readable)({ read() {} }) });",
    );
    const argv = ['people', 'bulk-add', '-', '--dry-run'];
    expect(await run(argv, { NODE_OPTIONS: `--require=${preload}` })).toMatchObject({ code: 1, stdout: '' });
  });
});

describe('an exception that nothing catches', () => {
  const findings = async () => {
    const service = opened(await startScriptedService(addsAnyone()));
    return ['findings', 'list', '--all', '--base-url', service.url];
  };

  it('is one error with a hint, without a stack, and exits 1', async () => {
    expect(await run(await findings(), crashAt('GET', 1))).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^error: .*: a defect\n {2}in a package\nhint: .*--debug.*\n$/),
    });
  });

  it('is one line of JSON with --json', async () => {
    const { code, stdout, stderr } = await run([...(await findings()), '--json'], crashAt('GET', 1));
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(JSON.parse(stderr)).toEqual({
      error: {
        code: 'internal',
        message: expect.stringMatching(/: a defect\nin a package$/),
        hint: expect.any(String),
      },
    });
  });

  it('has a stack with --debug', async () => {
    const { code, stderr } = await run([...(await findings()), '--debug'], crashAt('GET', 1));
    expect(code).toBe(1);
    expect(stderr).toContain('crash.cjs:3');
  });

  it('is followed by the command that continues the import', async () => {
    const { url } = opened(await startScriptedService(addsAnyone()));
    const list = folder.file('list.csv');
    writeFileSync(list, 'userId,role\nusr_1,member\nusr_2,member\nusr_3,member\n');
    const argv = ['people', 'bulk-add', list, '--batch-size', '1', '--base-url', url];
    const { code, stdout, stderr } = await run(argv, crashAt('POST', 2));
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(
      /\nerror: unexpected error: .*\n.*\nhint: .*\nTo continue, .*: orgadm runs resume [0-9a-f]{8}\n$/,
    );
    expect(stderr).not.toContain('crash.cjs');
  });
});
