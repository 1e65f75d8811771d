import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { closeAfterTests } from '../helpers/opened.ts';
import { runOrgadm } from '../helpers/orgadm-process.ts';
import { addsAnyone } from '../helpers/people-service.ts';
import { startScriptedService } from '../helpers/scripted-service.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

/* The built program, after an exception that nothing in it catches. */

const opened = closeAfterTests();
const folder = temporaryFolder();

/** Runs a command in a process that runs this code first. */
function runAfter(code: string, argv: readonly string[]) {
  writeFileSync(folder.file('first.cjs'), code);
  return runOrgadm(folder.path, argv, { env: { NODE_OPTIONS: `--require=${folder.file('first.cjs')}` } });
}

/** Throws an exception outside of orgadm's code, as soon as the headers of a response to this method arrive for the n-th time. */
const crashAt = (method: string, time: number) => `let times = 0;
require('node:diagnostics_channel').subscribe('undici:request:headers', ({ request }) => {
  if (request.method === '${method}' && ++times === ${time}) throw new Error('a defect\\nin a package');
});`;

describe('a process that ends before its command', () => {
  it('exits 1', async () => {
    // An input that never ends, and that the event loop does not know.
    const endless =
      "Object.defineProperty(process, 'stdin', { value: new (require('node:stream').Readable)({ read() {} }) });";
    expect(await runAfter(endless, ['people', 'bulk-add', '-', '--dry-run'])).toMatchObject({ code: 1, stdout: '' });
  });
});

describe('an exception that nothing catches', () => {
  it.each([
    ['an error with a hint', [], /^error: .*: a defect\n {2}in a package\nhint: .*--debug.*\n$/],
    [
      'one line of JSON with --json',
      ['--json'],
      /^\{"error":\{"code":"internal","message":".*: a defect\\nin a package","hint":".*"\}\}\n$/,
    ],
    ['an error with its stack with --debug', ['--debug'], /first\.cjs:3/],
  ])('is %s, and exits 1', async (_name, flags, printed) => {
    const service = opened(await startScriptedService(addsAnyone()));
    const argv = ['findings', 'list', '--all', '--base-url', service.url, ...flags];
    expect(await runAfter(crashAt('GET', 1), argv)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(printed),
    });
  });

  it('is followed by the command that continues the import', async () => {
    const { url } = opened(await startScriptedService(addsAnyone()));
    const list = folder.file('list.csv');
    writeFileSync(list, 'userId,role\nusr_1,member\nusr_2,member\nusr_3,member\n');
    const argv = ['people', 'bulk-add', list, '--batch-size', '1', '--base-url', url];
    const { code, stdout, stderr } = await runAfter(crashAt('POST', 2), argv);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/\nerror: .*\n.*\nhint: .*\n.*: orgadm runs resume [0-9a-f]{8}\n$/);
    expect(stderr).not.toContain('first.cjs');
  });
});
