import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { UNUSABLE_SUCCESSES } from '../helpers/bad-responses.ts';
import type { RawReply, Reply } from '../helpers/scripted-service.ts';
import { createCommandRunner } from '../helpers/service-run.ts';

const cli = createCommandRunner();

const COMMANDS = [
  { command: 'role update', argv: ['role', 'update', 'rol_1', '--name', 'QA'] },
  { command: 'domain status', argv: ['domain', 'status', 'trust.acme.test'] },
  { command: 'findings list', argv: ['findings', 'list', '--task', 'tsk_1'] },
];

describe.each(COMMANDS)('$command', ({ argv }) => {
  const fails = async (reply: Reply | RawReply) => {
    const { service, run } = await cli.scripted(() => reply);
    const { code, stdout, stderr } = await run([...argv, '--json', '--retries', '2']);
    const reported = JSON.parse(lastLine(stderr)) as { error: Record<string, unknown> };
    return { code, stdout, error: reported.error, requests: service.requests.length };
  };

  it.each(Object.entries(UNUSABLE_SUCCESSES))(
    'exits 1 with nothing on standard output if a 200 is a %s',
    async (_name, reply) => {
      const error = { code: 'invalid-response', status: 200, hint: expect.any(String) };
      expect(await fails(reply)).toMatchObject({ code: 1, stdout: '', error, requests: 1 });
    },
  );

  it('reports the identifier of a rejected request', async () => {
    const { error } = await fails({ status: 401, headers: { 'x-request-id': 'req_7' }, body: { message: 'No' } });
    expect(error).toMatchObject({ code: 'unauthorized', requestId: 'req_7' });
  });
});

describe('a key that the service rejects', () => {
  const check = 'Check that the key is complete, has not expired, and belongs to this service.';

  it('is replaced where it comes from', async () => {
    const { service, run } = await cli.scripted((request) =>
      request.headers['x-api-key'] === 'accepted-key-123' ? { body: [] } : { status: 401, body: { message: 'No' } },
    );
    const hintOf = async (argv: readonly string[], env: Record<string, string> = {}) =>
      (await run(['findings', 'list', '--all', ...argv], { env })).stderr
        .split('\n')
        .filter((line) => /^hint/.test(line));
    expect(await hintOf([])).toEqual([`hint: ${check} To use another key, change or unset ORGADM_API_KEY.`]);
    const file = cli.file('key');
    writeFileSync(file, 'rejected-key-123', { mode: 0o600 });
    expect(await hintOf(['--key-file', file])).toEqual([
      `hint: ${check} To use another key, pass another file with --key-file.`,
    ]);
    const login = ['auth', 'login', '--base-url', service.url, '--key-file', '-', '--profile', 'prod'];
    expect((await run(login, { stdin: 'accepted-key-123' })).code).toBe(0);
    const stored = cli.file('config/credentials.json');
    writeFileSync(stored, readFileSync(stored, 'utf8').replace('accepted-key-123', 'expired-key-123'));
    expect(await hintOf(['--profile', 'prod'])).toEqual([
      `hint: ${check} The key is stored in profile prod. To store another one: orgadm auth login --profile prod`,
    ]);
  });
});

describe('without a service', () => {
  it.each(COMMANDS)('$command exits 6 and names the address', async ({ argv }) => {
    const { service, run } = await cli.scripted([]);
    await service.close();
    const { code, stdout, stderr } = await run(argv);
    expect({ code, stdout }).toEqual({ code: 6, stdout: '' });
    expect(stderr).toContain(`127.0.0.1:${service.port}`);
    expect(stderr).toMatch(/\nhint: /);
  });
});

function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1) ?? '';
}
