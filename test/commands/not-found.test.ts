import { describe, expect, it } from 'vitest';
import { errorOf } from '../helpers/report.ts';
import type { Reply } from '../helpers/scripted-service.ts';
import { createCommandRunner } from '../helpers/service-run.ts';

const cli = createCommandRunner();
const ONE = 'userId,role\nusr_1,member\n';
const NO_ROUTE: Reply = { status: 404, body: { message: 'Cannot POST', error: 'Not Found', statusCode: 404 } };
const NO_ROLE: Reply = { status: 404, body: { message: 'Role not found', statusCode: 404 } };
const PAGE: Reply = { status: 404, body: '<title>Not found</title>', headers: { 'content-type': 'text/html' } };
const TEXT: Reply = { status: 404, body: 'default backend - 404' };

const IMPORT = ['people', 'bulk-add', '-'];
const ROLE = ['role', 'update', 'rol_1', '--name', 'Auditor'];
const TASK = ['findings', 'list', '--task', 'tsk_1'];

describe('a 404 asks to check the base URL', () => {
  it.each([
    ['of an import, which names no ID', IMPORT, NO_ROUTE],
    ['of a list of all findings', ['findings', 'list', '--all'], NO_ROUTE],
    ['that is a web page, whatever was asked', ROLE, PAGE],
    ['that is a text', TASK, TEXT],
  ])('%s', async (_what, argv, reply) => {
    const { service, run } = await cli.scripted(() => reply);
    const base = `${service.url}/admin`;
    const result = await run([...argv, '--base-url', base, '--json'], { stdin: ONE });
    expect(result.code).toBe(5);
    const { code, hint } = errorOf(result);
    expect(code).toBe('not-found');
    expect(hint).toContain(`the base URL: ${base}`);
    expect(hint).not.toContain('ID');
  });
});

describe('a 404 of the API asks to check the ID', () => {
  it.each([
    ['of a role', ROLE, NO_ROLE],
    ['of a task', TASK, NO_ROLE],
  ])('%s', async (_what, argv, reply) => {
    const { run } = await cli.scripted(() => reply);
    const result = await run([...argv, '--json']);
    expect(result.code).toBe(5);
    expect(errorOf(result).hint).toContain('the ID');
  });
});
