import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { closeAfterTests } from '../helpers/opened.ts';
import { addAnyone } from '../helpers/people-service.ts';
import { temporaryCliDirectory } from '../helpers/run-cli.ts';
import { startScriptedService } from '../helpers/scripted-service.ts';

const opened = closeAfterTests();
const folder = temporaryCliDirectory();

/** Runs Node.js with at most this many open files. */
async function runLimited(files: number, argv: readonly string[], env: Record<string, string> = {}) {
  const line = ['ulimit -c 0; ulimit -n "$1"; shift; exec "$@"', 'sh', String(files), process.execPath, ...argv];
  const child = spawn('sh', ['-c', ...line], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code, stdout, stderr };
}

/** Returns the smallest limit with which Node.js can run a program. */
async function smallestLimit(): Promise<number> {
  const program = folder.file('program.js');
  writeFileSync(program, 'console.log("runs")');
  for (let files = 10; ; files++) if ((await runLimited(files, [program])).stdout === 'runs\n') return files;
}

describe('too few file descriptors', () => {
  it('are an error that says how to raise the limit, wherever they run out', async () => {
    const service = opened(await startScriptedService(addAnyone));
    writeFileSync(folder.file('list.csv'), 'userId,role\nusr_1,member\nusr_2,member\n');
    const env = {
      ORGADM_API_KEY: 'key-of-few-files',
      ORGADM_BASE_URL: service.url,
      ORGADM_RETRIES: '0',
      ORGADM_STATE_DIR: folder.file('state'),
      ORGADM_CONFIG_DIR: folder.file('config'),
    };
    const smallest = await smallestLimit();
    const failures: string[] = [];
    for (const argv of [
      ['people', 'bulk-add', folder.file('list.csv')],
      ['findings', 'list', '--all'],
    ])
      for (let files = smallest; files < smallest + 12; files++) {
        rmSync(folder.file('state'), { recursive: true, force: true });
        const { code, stderr } = await runLimited(files, [resolve('bin/orgadm.js'), ...argv], env);
        if (code !== 0) failures.push(stderr);
      }
    expect(failures.length).toBeGreaterThan(0);
    expect(failures.length).toBeLessThan(24);
    const message = /^error: (.*: )?too many open files \(EMFILE\)\nhint: Raise the limit of this shell, then run/;
    expect(failures.filter((stderr) => !message.test(stderr) || /\n +at /.test(stderr))).toEqual([]);
  });
});
