import { EventEmitter } from 'node:events';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { errorOf } from '../helpers/report.ts';
import type { Handler, Reply } from '../helpers/scripted-service.ts';
import { createCommandRunner } from '../helpers/service-run.ts';

/* What scripts rely on: each exit code, and the code of the error in JSON, for one situation of each kind. */

const cli = createCommandRunner();

const FINDINGS = ['findings', 'list', '--all'];
const IMPORT = ['people', 'bulk-add', '-'];
const RENAME = ['role', 'update', 'rol_1', '--name', 'Auditor'];
const DOMAIN = ['domain', 'status', 'trust.acme.test'];
const LIST = 'userId,role\nusr_1,member\nusr_2,member\n';

const open: Reply = { body: [{ id: 'f1', status: 'open', severity: 'high' }] };
const failing = (status: number): Reply => ({ status, body: { message: 'no', statusCode: status } });
const pending: Reply = { body: { domain: 'trust.acme.test', verified: false } };
const created = (userId: string) => ({
  id: `mem_${userId}`,
  userId,
  role: 'member',
  department: 'none',
  isActive: true,
});
const member = { index: 1, userId: 'usr_2', error: 'User usr_2 is already a member of this organization' };
const bulk = (...users: string[]): Reply => ({ status: 201, body: { created: users.map(created), errors: [] } });
const oneExisting: Reply = { status: 201, body: { created: [created('usr_1')], errors: [member] } };

interface Situation {
  exit: number;
  /** The code of the error; undefined if the command ends without one. */
  error?: string;
  situation: string;
  argv: string[];
  service?: Handler;
  stdin?: string | Buffer;
}

describe('the exit code', () => {
  // biome-ignore format: a table
  it.each<Situation>([
    { exit: 0, situation: 'findings that were listed', argv: FINDINGS, service: () => open },
    { exit: 0, situation: 'an import that added everybody', argv: IMPORT, service: () => bulk('usr_1', 'usr_2') },
    { exit: 0, situation: 'existing members that are expected', argv: [...IMPORT, '--ignore-existing'], service: () => oneExisting },
    { exit: 1, error: 'rejected', situation: 'a request that the service rejects', argv: RENAME, service: () => failing(400) },
    { exit: 1, error: 'invalid-response', situation: 'a response that is not JSON', argv: FINDINGS, service: () => ({ body: 'hello' }) },
    { exit: 1, error: 'redirect', situation: 'a redirect', argv: FINDINGS, service: () => ({ status: 302, headers: { location: '/x' } }) },
    { exit: 1, error: 'incomplete-list', situation: 'a check of a list that may not be complete', argv: [...FINDINGS, '--exit-status'], service: () => ({ body: { data: [], hasMore: true } }) },
    { exit: 2, error: 'usage', situation: 'an unknown option', argv: [...FINDINGS, '--none'] },
    { exit: 2, error: 'usage', situation: 'a command without its argument', argv: ['role', 'update'] },
    { exit: 2, error: 'invalid-list', situation: 'a list with an invalid row', argv: IMPORT, stdin: 'userId,role\n,member\n' },
    { exit: 2, error: 'empty-list', situation: 'an empty list', argv: IMPORT, stdin: '' },
    { exit: 2, error: 'bad-list', situation: 'a list that breaks off', argv: IMPORT, stdin: 'userId,role\n"usr_1,member\n' },
    { exit: 2, error: 'bad-encoding', situation: 'a list in another encoding', argv: IMPORT, stdin: Buffer.from('userId,role\nm\xfcller,member\n', 'latin1') },
    { exit: 2, error: 'bad-columns', situation: 'a list without a required column', argv: IMPORT, stdin: 'userId\nusr_1\n' },
    { exit: 3, situation: 'somebody who was a member already', argv: IMPORT, service: () => oneExisting },
    { exit: 3, situation: 'a role that the service stored differently', argv: RENAME, service: () => ({ body: { id: 'rol_1', name: 'Other' } }) },
    { exit: 4, error: 'unauthorized', situation: 'a key that the service rejects', argv: RENAME, service: () => failing(401) },
    { exit: 4, error: 'forbidden', situation: 'a key without permission', argv: RENAME, service: () => failing(403) },
    { exit: 5, error: 'not-found', situation: 'a role that does not exist', argv: RENAME, service: () => failing(404) },
    { exit: 6, error: 'service-failed', situation: 'a service that keeps failing', argv: FINDINGS, service: () => failing(503) },
    { exit: 6, error: 'rate-limited', situation: 'a service that keeps limiting requests', argv: RENAME, service: () => failing(429) },
    { exit: 7, situation: 'findings that remain', argv: [...FINDINGS, '--exit-status'], service: () => open },
    { exit: 7, situation: 'a domain that is not ready', argv: [...DOMAIN, '--exit-status'], service: () => pending },
    { exit: 7, situation: 'a domain that does not become ready', argv: [...DOMAIN, '--wait', '--deadline', '20s'], service: () => pending },
  ])('is $exit for $situation', async ({ exit, error, argv, service = () => failing(500), stdin = LIST }) => {
    const { run } = await cli.scripted(service);
    const result = await run([...argv, '--json'], { stdin });
    expect(result.code, result.stderr).toBe(exit);
    // With an error, the last line of standard error is its JSON; without one, standard output is a document.
    if (error === undefined) result.json();
    else expect(errorOf({ stderr: result.stderr.trimEnd().split('\n').at(-1) ?? '' }).code).toBe(error);
  });

  it('is 2 if the list cannot be read to its end, and nothing is sent', async () => {
    const { service, run } = await cli.scripted([]);
    const stdin = Readable.from(
      (function* () {
        yield LIST;
        throw Object.assign(new Error('EIO'), { code: 'EIO' });
      })(),
    );
    const result = await run([...IMPORT, '--json'], { stdin });
    expect([result.code, errorOf(result).code]).toEqual([2, 'list-read']);
    expect(service.requests).toEqual([]);
  });

  it('is 4 without a key, and nothing is sent', async () => {
    const { service, run } = await cli.scripted([]);
    const result = await run([...FINDINGS, '--json'], { env: { ORGADM_API_KEY: '' } });
    expect([result.code, errorOf(result).code]).toEqual([4, 'no-key']);
    expect(service.requests).toEqual([]);
  });

  it('is 6 if nothing listens there', async () => {
    const { service, run } = await cli.scripted([]);
    service.stopListening();
    const result = await run([...FINDINGS, '--json']);
    expect([result.code, errorOf(result).code]).toEqual([6, 'unreachable']);
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ])('is that of the signal %s while a command waits: %i', async (signal, exit) => {
    const signals = new EventEmitter();
    const { run } = await cli.scripted(() => {
      signals.emit('signal', signal);
      // The command ends although its request does not.
      return new Promise(() => {});
    });
    const { code } = await run([...DOMAIN, '--wait'], { signals });
    expect(code).toBe(exit);
  });
});
