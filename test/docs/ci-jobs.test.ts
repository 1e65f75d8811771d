import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { closeAfterTests } from '../helpers/opened.ts';
import { openShell } from './console-blocks.ts';

const opened = closeAfterTests();

/** The jobs in the YAML blocks of docs/ci.md. */
const JOBS = [...readFileSync('docs/ci.md', 'utf8').matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, yaml = '']) => ({
  stateDirectory: /^ +ORGADM_STATE_DIR: (.+)$/m.exec(yaml)?.[1] ?? '',
  steps: stepsIn(yaml),
}));

/** The values of `run:`, and the items of `script:`; folded values become one line. */
function stepsIn(yaml: string): string[] {
  const scripts = yaml.replace(/^ +script:\n((?: +- .*\n(?: {6,}.*\n)*)+)/gm, (_, items: string) =>
    items.replace(/^( +)- /gm, '$1- run: '),
  );
  const steps = scripts.matchAll(/^( +)(?:- )?run: (>\n(?:\1 {2,}.*\n)+|.*\n)/gm);
  return [...steps].map(([, , step = '']) => step.replace(/^>\n/, '').trim().replace(/\n */g, ' '));
}

describe('a documented CI job', () => {
  it.each([
    ['GitHub Actions', 0, 4, '::error file=members.csv,line=15::usr_9001 failed'],
    ['GitLab', 1, 2, ''],
  ])('runs unchanged, and again with the records of the job before: %s', async (_name, index, count, annotations) => {
    const { steps, stateDirectory } = JOBS[index] ?? { steps: [], stateDirectory: '' };
    expect(steps).toHaveLength(count);
    expect(steps[0]).toBe('npm install --global ./orgadm-*.tgz');
    const shell = opened(await openShell());
    const run = async () => {
      const executions = await shell.run(steps, { ORGADM_STATE_DIR: stateDirectory });
      return { codes: executions.map(({ exitCode }) => exitCode), annotated: executions[3]?.printed ?? '' };
    };
    const list = readFileSync('examples/members.csv', 'utf8');
    writeFileSync(join(shell.path, 'members.csv'), `${list}usr_9001,member,it,true,\n`);
    const withFailedRow = { codes: steps.map((step) => (step.startsWith('orgadm') ? 3 : 0)), annotated: annotations };
    expect(await run()).toEqual(withFailedRow);
    expect(readdirSync(join(shell.path, '.orgadm'))).toEqual(['runs', 'services']);
    // The failed row of an unchanged list is sent again; a corrected list is a new one.
    expect(await run()).toEqual(withFailedRow);
    writeFileSync(join(shell.path, 'members.csv'), list);
    expect(await run()).toEqual({ codes: steps.map(() => 0), annotated: '' });
  });

  it('fails and lists the findings while some are open: the gate', async () => {
    const shell = opened(await openShell());
    const summary = join(shell.path, 'summary.md');
    expect(await shell.run(JOBS[2]?.steps ?? [], { GITHUB_STEP_SUMMARY: summary })).toMatchObject([{ exitCode: 7 }]);
    expect(readFileSync(summary, 'utf8')).toMatch(/^```\nid +severity/);
  });
});
