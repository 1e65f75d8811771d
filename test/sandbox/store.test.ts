import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { resetSandbox } from '../../src/sandbox/store.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { openSandbox, startError } from './open-sandbox.ts';

const RENAME = { name: 'Control Owner' };
const ROLE = '/v1/roles/rol_custom_1';

describe('the state of a sandbox', () => {
  it('keeps its state across restarts, in a file that only its owner can read', async () => {
    const first = await openSandbox();
    await first.send('PATCH', ROLE, RENAME);
    await first.send('POST', '/v1/people/bulk', { members: [{ userId: 'usr_0100', role: 'member' }] });
    await first.close();
    expect(statSync(first.stateFile).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(first.stateFile)).mode & 0o777).toBe(0o700);
    expect(readdirSync(dirname(first.stateFile))).toEqual(['state.json', 'state.key']);

    const second = await openSandbox({ stateFile: first.stateFile });
    expect((await second.send('PATCH', ROLE, {})).body).toMatchObject(RENAME);
    const again = await second.send('POST', '/v1/people/bulk', { members: [{ userId: 'usr_0100', role: 'member' }] });
    expect(again.body).toMatchObject({ created: [], summary: { failed: 1 } });
  });

  it('starts over after a reset, even while it runs', async () => {
    const { send, stateFile } = await openSandbox();
    await send('PATCH', ROLE, RENAME);
    await resetSandbox(stateFile);
    expect(existsSync(stateFile)).toBe(false);
    expect((await send('PATCH', ROLE, {})).body).toHaveProperty('name', 'Risk Reviewer');
    await resetSandbox(stateFile);
    await expect(resetSandbox(stateFile)).resolves.toBeUndefined();
  });

  it.each([
    ['not JSON', 'cannot be read'],
    ['{"version":2,"roles":[],"members":[]}', 'is not in a format that this version can read'],
    ['{"version":1,"roles":[{"id":"rol_1"}],"members":[]}', 'is not in a format that this version can read'],
  ])('does not start with a file that contains %s, and leaves it unchanged', async (content, message) => {
    const stateFile = join(temporaryFolder(), 'state.json');
    writeFileSync(stateFile, content);
    const error = await startError({ stateFile });
    expect(error).toMatchObject({ code: 'sandbox-state', exitCode: 2, hint: expect.stringContaining('sandbox reset') });
    expect(error.message).toContain(`the sandbox's state file ${stateFile} ${message}`);
    expect(readFileSync(stateFile, 'utf8')).toBe(content);
  });

  it('names the variable to set if its directory cannot be used', async () => {
    const inTheWay = join(temporaryFolder(), 'file');
    writeFileSync(inTheWay, '');
    const stateFile = join(inTheWay, 'state.json');
    const error = await startError({ stateFile });
    const hint = 'Set ORGADM_STATE_DIR to a directory that you can write to.';
    expect(error).toMatchObject({ code: 'sandbox-state', exitCode: 2, hint });
    expect(error.message).toContain(`the sandbox's state file ${stateFile} cannot be `);
    expect(error.message).toMatch(/\((ENOTDIR|EEXIST)\)/);
  });
});
