import { readdirSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { runOrgadm, startOrgadm } from '../helpers/orgadm-process.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const home = temporaryFolder();

describe('a sandbox that is killed', () => {
  it('leaves nothing that has to be removed by hand', async () => {
    for (let round = 0; round < 2; round++) {
      // Other people in each round: those in flight when a round is killed are not sent by another run.
      const first = 1000 + round * 300;
      const rows = Array.from({ length: 300 }, (_, row) => `usr_${first + row},member\n`).join('');
      const list = home.file(`list-${round}.csv`);
      writeFileSync(list, `userId,role\n${rows}`);
      const argv = ['people', 'bulk-add', list, '--sandbox', '--timeout', '1s', '--batch-size', '5', '--debug'];
      const { child, ended, untilPrinted } = startOrgadm(home.path, argv);
      await untilPrinted('-> 201');
      child.kill('SIGKILL');
      expect((await ended).signal).toBe('SIGKILL');
    }
    const argv = ['role', 'update', 'rol_custom_1', '--name', 'Risk Auditor', '--sandbox', '--json'];
    const change = await runOrgadm(home.path, argv);
    expect(JSON.parse(change.stdout)).toMatchObject({ name: 'Risk Auditor' });
    // The locks of a killed import are taken over: each round began after the one before was killed.
    expect(readdirSync(home.file('state')).sort()).toEqual(['runs', 'sandbox.json', 'services']);
  }, 60_000);
});
