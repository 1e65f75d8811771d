import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { closeAfterTests } from '../helpers/opened.ts';
import { openShell } from './console-blocks.ts';

const opened = closeAfterTests();

/** The steps of each job in the YAML blocks of a document. */
function jobsIn(document: string): string[][] {
  const blocks = [...readFileSync(document, 'utf8').matchAll(/^```yaml\n(.*?)^```$/gms)];
  return blocks.map(([, yaml = '']) => stepsIn(yaml.split('\n')));
}

/** The values of `run:`, and the items of `script:`; folded values become one line. */
function stepsIn(lines: string[]): string[] {
  const steps: string[] = [];
  let isScript = false;
  for (const [index, line] of lines.entries()) {
    if (/^\s*[\w-]+:/.test(line)) isScript = /^\s*script:$/.test(line);
    const run = /^(\s*)(?:- )?run: (.*)$/.exec(line) ?? (isScript ? /^(\s*)- (.*)$/.exec(line) : null);
    const [, indent = '', value] = run ?? [];
    if (value === undefined) continue;
    const folded = lines.slice(index + 1).findIndex((next) => next.search(/\S/) <= indent.length);
    steps.push(
      value === '>'
        ? lines
            .slice(index + 1, index + 1 + folded)
            .map((next) => next.trim())
            .join(' ')
        : value,
    );
  }
  return steps;
}

/** The value of `ORGADM_STATE_DIR` in each job that sets it. */
function stateDirectories(document: string): string[] {
  return [...readFileSync(document, 'utf8').matchAll(/^ +ORGADM_STATE_DIR: (.+)$/gm)].map(([, value = '']) => value);
}

/** The lines of a file that GitHub annotates, with the first word of each annotation. */
function annotatedLines(printed: string): string[] {
  return [...printed.matchAll(/^::error file=([^:]+)::(\S+)/gm)].map(
    ([, place = '', userId]) => `${basename(place)} ${userId}`,
  );
}

describe('a documented CI job', () => {
  it.each([
    ['GitHub Actions', 0, ['members.csv,line=15 usr_9001']],
    ['GitLab', 1, []],
  ])(
    'runs unchanged, and again with the records of the job before: %s',
    async (_name, index, annotations) => {
      const steps = jobsIn('docs/ci.md')[index] ?? [];
      expect(steps[0]).toBe('npm install --global ./orgadm-*.tgz');
      expect(steps.length).toBeGreaterThan(1);
      const shell = opened(openShell());
      const list = readFileSync('examples/members.csv', 'utf8');
      writeFileSync(join(shell.path, 'members.csv'), `${list}usr_9001,member,it,true,\n`);
      const env = { ORGADM_STATE_DIR: stateDirectories('docs/ci.md')[index] ?? '' };
      const codes = async () => (await shell.run(steps, env)).map(({ exitCode }) => exitCode);
      const withFailedRow = steps.map((step) => (step.startsWith('orgadm') ? 3 : 0));
      const first = await shell.run(steps, env);
      expect(first.map(({ exitCode }) => exitCode)).toEqual(withFailedRow);
      expect(first.flatMap(({ printed }) => annotatedLines(printed))).toEqual(annotations);
      expect(readdirSync(join(shell.path, '.orgadm'))).toEqual(['runs', 'services']);
      // The failed row of an unchanged list is sent again; a corrected list is a new one.
      expect(await codes()).toEqual(withFailedRow);
      writeFileSync(join(shell.path, 'members.csv'), list);
      expect(await codes()).toEqual(steps.map(() => 0));
    },
    120_000,
  );

  it('fails and lists the findings while some are open: the gate of docs/ci.md', async () => {
    const gate = jobsIn('docs/ci.md')[2] ?? [];
    const shell = opened(openShell());
    const summary = join(shell.path, 'summary.md');
    expect(await shell.run(gate, { GITHUB_STEP_SUMMARY: summary })).toMatchObject([{ exitCode: 7 }]);
    expect(readFileSync(summary, 'utf8')).toMatch(/^```\nid +severity/);
  }, 60_000);
});
