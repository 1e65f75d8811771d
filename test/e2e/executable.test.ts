import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, it } from 'vitest';
import { COMMAND_NAMES } from '../helpers/command-lines.ts';
import { runBin, startBin } from '../helpers/orgadm-process.ts';
import { EXECUTABLE } from '../helpers/orgadm-program.ts';
import { startPeopleService } from '../helpers/people-service.ts';
import { temporaryCliDirectory } from '../helpers/run-cli.ts';

/*
 * The executable is for people without Node.js, so nothing but `orgadm` is on the path here.
 */

const folder = temporaryCliDirectory();
const programs = () => folder.file('bin');
const env = (more: Record<string, string> = {}) => ({
  PATH: programs(),
  HOME: folder.path,
  ORGADM_STATE_DIR: folder.file('state'),
  ...more,
});
const orgadm = (...argv: string[]) => runBin(argv, { env: env() });
const sandbox = (...argv: string[]) => orgadm(...argv, '--sandbox');

beforeEach(() => {
  mkdirSync(programs());
  symlinkSync(EXECUTABLE ?? '', join(programs(), 'orgadm'));
});

describe('the executable without Node.js', () => {
  it('prints its version, and that of the Node.js in it', async () => {
    expect((await orgadm('--version')).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect((await orgadm('version')).stdout).toMatch(/^\d+\.\d+\.\d+\nNode\.js \d+\.\d+\.\d+\n$/);
  });

  it('runs the first command of the README', async () => {
    expect(await sandbox('people', 'bulk-add', resolve('examples/members.csv'), '--ignore-existing')).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^✓ 12 .*, 1 /),
      stderr: expect.stringMatching(/^.* 13 .*\n/),
    });
  });

  it('continues an import that Ctrl-C interrupted', async () => {
    writeFileSync(folder.file('list.csv'), 'userId,role\nusr_1,member\nusr_2,member\nusr_3,member\n');
    const service = await startPeopleService(({ number }) => {
      if (number === 1) interrupted.kill('SIGINT');
      return 'respond';
    });
    const argv = ['people', 'bulk-add', folder.file('list.csv'), '--batch-size', '1', '--concurrency', '1', '--json'];
    const connected = env({ ORGADM_BASE_URL: service.url, ORGADM_API_KEY: 'key' });
    const interrupted = startBin(argv, connected);
    expect(await once(interrupted, 'exit')).toEqual([130, null]);
    const { code, stdout } = await runBin(argv, { env: connected });
    expect(code).toBe(0);
    expect(JSON.parse(stdout).summary).toMatchObject({ total: 3, created: 3, unsent: 0 });
    expect(Object.fromEntries(service.sends)).toEqual({ usr_1: 1, usr_2: 1, usr_3: 1 });
  });

  it('filters JSON with --jq', async () => {
    const { code, stdout } = await sandbox('domain', 'status', 'pending.example.com', '--jq', '.[].state', '-r');
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'not-verified\n' });
  });

  it('reads an Excel workbook', async () => {
    const { stderr } = await sandbox('people', 'bulk-add', resolve('test/fixtures/exports/excel.xlsx'), '--dry-run');
    expect(stderr).toMatch(/^error: .* columns /);
  });

  it('completes words in bash', async () => {
    const line =
      'source <(orgadm completion bash); COMP_WORDS=(orgadm peo) COMP_CWORD=1; _orgadm orgadm; echo $COMPREPLY';
    const { stdout } = await promisify(execFile)('/bin/bash', ['--norc', '-c', line], { env: env() });
    expect(stdout).toBe('people\n');
  });

  it('has the manual page of each command', async () => {
    for (const file of readdirSync('man')) {
      const words =
        file === 'orgadm.1' ? [] : [COMMAND_NAMES.find((name) => file === `orgadm-${name.replaceAll(' ', '-')}.1`)];
      const argv = ['help', '--man', ...words.flatMap((name) => name?.split(' ') ?? [])];
      expect(await orgadm(...argv)).toEqual({ code: 0, stdout: readFileSync(join('man', file), 'utf8'), stderr: '' });
    }
  }, 60_000);
});
