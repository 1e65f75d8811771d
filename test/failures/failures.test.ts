import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Reply } from '../helpers/scripted-service.ts';
import { createCommandRunner } from '../helpers/service-run.ts';

const cli = createCommandRunner();

const ROLE = ['role', 'update', 'rol_1', '--name', 'Auditor'];
const PEOPLE = ['people', 'bulk-add', '-'];
const DOMAIN = ['domain', 'status', 'trust.acme.test'];
const FINDINGS = ['findings', 'list', '--task', 'tsk_1'];
const LIST = 'userId,role\nusr_1,member\nusr_2,member\n';

const DEEP = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
const NOT_UTF8 = Buffer.from('{"domain":"\xff"}', 'latin1');

/** Text that no failure may print. */
const NEVER = [/\n +at .*:\d+:\d+/, /unexpected error/, /\[object Object\]/, /\bundefined\b/];

describe('a response that no service should send', () => {
  it.each<[name: string, argv: readonly string[], response: Reply, code: number, message: RegExp]>([
    [
      'a message of megabytes',
      ROLE,
      { status: 400, body: { message: 'x'.repeat(3_000_000) } },
      1,
      /400[\s\S]{0,4000}$/,
    ],
    ['an array instead of a report', PEOPLE, { body: [] }, 3, /2 unknown/],
    ['a report whose lists are none', PEOPLE, { body: { created: 7, errors: 'x' } }, 3, /2 unknown/],
    ['a report of nonsense', PEOPLE, { body: { created: [1, null, 'x'], errors: [[], 2] } }, 3, /2 unknown/],
    ['a status with 100,000 levels', DOMAIN, { body: DEEP }, 1, /\b64 levels\b/],
    ['a finding with 100,000 levels', FINDINGS, { body: `[${DEEP}]` }, 1, /\b64 levels\b/],
    ['a compressed status', DOMAIN, { headers: { 'content-encoding': 'gzip' }, body: gzipSync('{}') }, 1, /\bJSON\b/],
    ['65 MiB', DOMAIN, { body: 'x'.repeat(65 * 1024 * 1024) }, 1, /\b64 MiB\b/],
    ['bytes that are not UTF-8', DOMAIN, { body: NOT_UTF8 }, 1, /verified/],
  ])('is reported with its exit code and a helpful message: %s', async (_name, argv, response, code, message) => {
    const { run } = await cli.scripted(() => response);
    const result = await run(argv, { stdin: LIST });
    const output = result.stdout + result.stderr;
    expect({ code: result.code, output }).toEqual({ code, output: expect.stringMatching(message) });
    for (const never of NEVER) expect(output).not.toMatch(never);
  });
});
