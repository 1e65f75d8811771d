import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createCommandRunner } from '../../helpers/service-run.ts';

const cli = createCommandRunner();

describe('people bulk-add --annotate', () => {
  it('prints a GitHub annotation for each row that was not added, escaped as GitHub requires', async () => {
    const list = cli.file('a:b,c%d.csv');
    writeFileSync(list, 'userId,role\nusr_0031,member\nusr_9001,member\nusr_9002,member\n');
    const message = '100% wrong:\r\nuser, not found\n::error::';
    const { run } = await cli.scripted([
      {
        body: {
          created: [{ id: 'mem_1', userId: 'usr_0031' }],
          errors: [
            { index: 1, userId: 'usr_9001', error: message },
            { index: 2, userId: 'usr_9002', error: 'no' },
          ],
        },
      },
    ]);
    // GitHub takes a relative path as relative to the repository, which need not be the current directory.
    const { code, stderr } = await run(['people', 'bulk-add', relative('', list), '--annotate', '--json']);
    expect(code).toBe(3);
    const folder = list.slice(0, -'a:b,c%d.csv'.length);
    const lines = stderr.split('\n').filter((line) => line.startsWith('::'));
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(/^::error file=[^:,]*a%3Ab%2Cc%25d\.csv,line=3::usr_9001 failed: 100%25 wrong:/);
    expect(lines[0]).toContain('user, not found');
    expect(lines[1]).toBe(`::error file=${folder}a%3Ab%2Cc%25d.csv,line=4::usr_9002 failed: no`);
    expect(stderr.match(/^::error::/gm)).toBeNull();
  });

  it('names no file for a list on standard input', async () => {
    const stdin = 'userId,role\nusr_9001,member\n';
    const { stderr } = await cli.sandbox(['people', 'bulk-add', '-', '--annotate'], { stdin });
    expect(stderr).toContain('::error line=2::usr_9001 failed: User usr_9001 not found\n');
  });
});
