import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { closeAfterTests } from '../helpers/opened.ts';
import { runOrgadm, startOrgadm, startShell } from '../helpers/orgadm-process.ts';
import { addsMembers } from '../helpers/people-service.ts';
import { startScriptedService } from '../helpers/scripted-service.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const MEMBERS = join(process.cwd(), 'test/fixtures/members.csv');

const home = temporaryFolder();
const opened = closeAfterTests();

describe('the built program', () => {
  it('reads a list from a pipe, and the key from one, as a password manager prints it', async () => {
    const service = opened(await startScriptedService(addsMembers()));
    const line = `printf 'userId,role\\nusr_1,member\\n' | orgadm people bulk-add - --key-file <(echo key-of-the-pipe)`;
    const env = { ORGADM_BASE_URL: service.url };
    expect(await startShell(home.path, line, { env }).ended).toMatchObject({ code: 0 });
    expect(service.requests.map(({ headers, body }) => [headers['x-api-key'], body])).toEqual([
      ['key-of-the-pipe', '{"members":[{"userId":"usr_1","role":"member"}]}'],
    ]);
  });

  it('writes the errors file even if the report cannot be written', async () => {
    const line = `orgadm people bulk-add ${MEMBERS} --sandbox --errors-file ${home.file('errors.csv')} > /dev/full`;
    const { code, stderr } = await startShell(home.path, line).ended;
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^error: cannot write the output: no space left on device \(ENOSPC\)\nhint: The import itself finished: orgadm runs show [0-9a-f]{8}\n$/m,
    );
    expect(readFileSync(home.file('errors.csv'), 'utf8')).toContain('usr_9001');
  });

  it.each([
    ['its output', '-o ndjson | head -c 10 >/dev/null'],
    ['its messages', '--debug 2>&1 >/dev/null | head -c 10 >/dev/null'],
  ])('ends without an error if the reader of %s closes the pipe', async (_name, rest) => {
    const findings = Array.from({ length: 5_000 }, (_, at) => ({ id: `fnd_${at}`, content: 'x'.repeat(1_000) }));
    const service = opened(await startScriptedService(() => ({ body: findings })));
    const line = `orgadm findings list --all ${rest}; exit "\${PIPESTATUS[0]}"`;
    const ended = await startShell(home.path, line, { env: { ORGADM_BASE_URL: service.url } }).ended;
    expect(ended).toMatchObject({ code: 0, stdout: '', stderr: '' });
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('ends the sandbox after %s with exit code %i', async (signal, code) => {
    const { child, untilPrinted, ended } = startOrgadm(home.path, ['sandbox', 'serve', '--port', '0']);
    await untilPrinted('Ctrl-C');
    child.kill(signal);
    expect(await ended).toMatchObject({ code, signal: null, stderr: expect.not.stringMatching(/\n +at /) });
  });

  it('starts quickly: help and settings load less than half of the code, and no schemas', async () => {
    const complete = await codeLoadedBy('findings', 'list', '--all', '--sandbox');
    expect(complete).toContain('// node_modules/zod/');
    for (const argv of [
      ['--version'],
      ['people', '--help'],
      ['config', 'set', 'retries', '7'],
      ['people', 'template'],
    ]) {
      const code = await codeLoadedBy(...argv);
      expect(code.length, argv.join(' ')).toBeLessThan(complete.length / 2);
      expect(code, argv.join(' ')).not.toContain('// node_modules/zod/');
    }
  });
});

/** Returns the texts of the files of the build that a run loads. The build writes the name of each module in front of its code. */
async function codeLoadedBy(...argv: string[]): Promise<string> {
  const scripts = mkdtempSync(join(tmpdir(), 'orgadm-scripts-'));
  // Node lists there every script that it has run.
  await runOrgadm(home.path, argv, { env: { NODE_V8_COVERAGE: scripts } });
  const urls = readdirSync(scripts).flatMap((file) => {
    const { result } = JSON.parse(readFileSync(join(scripts, file), 'utf8')) as { result: { url: string }[] };
    return result.map(({ url }) => url);
  });
  rmSync(scripts, { recursive: true });
  expect(urls.filter((url) => url.includes('/node_modules/'))).toEqual([]);
  const files = urls.filter((url) => url.includes('/dist/')).map((url) => readFileSync(new URL(url), 'utf8'));
  expect(files).not.toEqual([]);
  return files.join('\n');
}
