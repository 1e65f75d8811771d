import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { closeAfterTests } from '../helpers/opened.ts';
import { runBin, startOrgadm } from '../helpers/orgadm-process.ts';
import { temporaryCliDirectory } from '../helpers/run-cli.ts';
import { startScriptedService } from '../helpers/scripted-service.ts';

const home = temporaryCliDirectory();
const opened = closeAfterTests();
const env = () => ({ HOME: home.path, ORGADM_CONFIG_DIR: home.file('config'), ORGADM_STATE_DIR: home.file('state') });
const readJson = (name: string) => JSON.parse(readFileSync(home.file(name), 'utf8'));

describe('concurrent processes', () => {
  it('keep the keys and base URLs of four logins', async () => {
    const { url } = opened(await startScriptedService(() => ({ body: [] })));
    const names = ['p1', 'p2', 'p3', 'p4'];
    const logins = names.map((name) =>
      runBin(['auth', 'login', '--profile', name, '--base-url', url, '--key-file', '-'], {
        stdin: `key-${name}`,
        env: env(),
      }),
    );
    expect((await Promise.all(logins)).map(({ code }) => code)).toEqual(names.map(() => 0));
    const { profiles: keys } = readJson('config/credentials.json');
    const { profiles } = readJson('config/config.json');
    for (const name of names) {
      expect(keys[name]).toEqual({ apiKey: `key-${name}`, baseUrl: url });
      expect(profiles[name]).toEqual({ 'base-url': url });
    }
    expect(readdirSync(home.file('config')).sort()).toEqual(['config.json', 'credentials.json']);
  });

  it('keep the settings of each other', async () => {
    await runBin(['config', 'set', 'wire.findings.scope', 'area'], { env: env() });
    const changes = [
      ['set', 'timeout', '7s'],
      ['set', 'retries', '2'],
      ['set', 'allow-http', 'true'],
      ['set', 'wire.findings.task', 'task_id'],
      ['unset', 'wire.findings.scope'],
    ];
    const ended = await Promise.all(changes.map((change) => runBin(['config', ...change], { env: env() })));
    expect(ended.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0]);
    expect(Object.keys(readJson('config/config.json').profiles.default).sort()).toEqual([
      'allow-http',
      'retries',
      'timeout',
      'wire.findings.task',
    ]);
  });
});

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
    const change = await runBin(['role', 'update', 'rol_custom_1', '--name', 'Risk Auditor', '--sandbox', '--json'], {
      env: env(),
    });
    expect(JSON.parse(change.stdout)).toMatchObject({ name: 'Risk Auditor' });
    // The locks of a killed import are taken over: each round began after the one before was killed.
    expect(readdirSync(home.file('state')).sort()).toEqual(['runs', 'sandbox.json', 'services']);
  }, 60_000);
});
