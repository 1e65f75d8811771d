import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { closeAfterTests } from '../helpers/opened.ts';
import { runBin, startBin } from '../helpers/orgadm-process.ts';
import { ORGADM } from '../helpers/orgadm-program.ts';
import { startScriptedService } from '../helpers/scripted-service.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { partLike, textLike } from '../helpers/text-like.ts';

const home = temporaryFolder();
const opened = closeAfterTests();
const own = (more: Record<string, string> = {}) => ({ ORGADM_STATE_DIR: home.path, HOME: home.path, ...more });

describe('the built program', () => {
  it('adds the example list in a fresh sandbox, reports every row, and exits 3', async () => {
    expect(await runBin(['people', 'bulk-add', 'test/fixtures/members.csv', '--sandbox'], { env: own() })).toEqual({
      code: 3,
      stdout: expect.stringMatching(
        textLike(`line  userId    state   message
  11  usr_9001  failed  User usr_9001 not found

1 …, 12 …, 1 …
`),
      ),
      stderr: expect.stringMatching(
        /^.* 14 .*\n {2}totals: .*\n {2}roles: .*\n.*: orgadm runs show [0-9a-f]{8} --errors-file rejected\.csv\n$/,
      ),
    });
  });

  it('reads the key from a pipe, as a password manager prints it', async () => {
    const service = opened(await startScriptedService(() => ({ body: [] })));
    const script = '"$@" --key-file <(printf "key-of-the-pipe\\n")';
    const words = [...ORGADM, 'findings', 'list', '--all', '--json', '--base-url', service.url];
    const child = spawn('bash', ['-c', script, 'bash', ...words], { env: own(), stdio: ['ignore', 'pipe', 'pipe'] });
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    expect({ stdout, stderr }).toEqual({ stdout: '[]\n', stderr: '' });
    expect(service.requests.map(({ headers }) => headers['x-api-key'])).toEqual(['key-of-the-pipe']);
  });

  it('writes the errors file even if the report cannot be written', async () => {
    const argv = [
      'people',
      'bulk-add',
      'test/fixtures/members.csv',
      '--sandbox',
      '--errors-file',
      home.file('errors.csv'),
    ];
    const line = ['exec "$@" > /dev/full', 'sh', ...ORGADM, ...argv];
    const child = spawn('sh', ['-c', ...line], { env: own(), stdio: ['ignore', 'pipe', 'pipe'] });
    const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
    expect(code).toBe(1);
    expect(stderr).toMatch(partLike(`1 row to fix in ${home.file('errors.csv')}\n`));
    expect(stderr).toMatch(
      /^error: cannot write the output: no space left on device \(ENOSPC\)\nhint: The import itself finished: orgadm runs show [0-9a-f]{8}\n$/m,
    );
    expect(readFileSync(home.file('errors.csv'), 'utf8')).toContain('User usr_9001 not found');
  });

  it('reads a list from a pipe', async () => {
    const stdin = '{"userId":"usr_0101","role":"member"}\n{"userId":"usr_0102","role":"member"}\n';
    const result = await runBin(['people', 'bulk-add', '-', '--sandbox'], { stdin, env: own() });
    expect(result).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^✓ 2 .*\n$/),
      stderr: expect.stringMatching(/^.* 2 .*\n {2}totals: 2 unspecified\n {2}roles: member 2\n/),
    });
  });
});

describe('a reader that closes the pipe', () => {
  it('ends a list without a message', async () => {
    const findings = Array.from({ length: 5_000 }, (_, at) => ({ id: `fnd_${at}`, content: 'x'.repeat(1_000) }));
    const service = opened(await startScriptedService(() => ({ body: findings })));
    const env = own({ ORGADM_BASE_URL: service.url, ORGADM_API_KEY: 'key' });
    const child = startBin(['findings', 'list', '--all', '-o', 'ndjson'], env);
    const stderr = text(child.stderr);
    await once(child.stdout, 'data');
    child.stdout.destroy();
    await once(child, 'exit');
    expect(await stderr).toBe('');
  });
});

describe('signals', () => {
  it.each([
    { signal: 'SIGINT', code: 130 },
    { signal: 'SIGTERM', code: 143 },
    { signal: 'SIGHUP', code: 129 },
  ] as const)('end the sandbox after $signal with exit code $code', async ({ signal, code }) => {
    const child = startBin(['sandbox', 'serve'], own());
    const stderr = text(child.stderr);
    let stdout = '';
    for await (const chunk of child.stdout) {
      stdout += chunk;
      if (stdout.includes('ORGADM_API_KEY')) break;
    }
    const closed = once(child, 'exit');
    child.kill(signal);
    expect(await closed).toEqual([code, null]);
    expect(await stderr).not.toMatch(/\n +at /);
  });
});
