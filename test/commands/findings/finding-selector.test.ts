import { describe, expect, it } from 'vitest';
import { createCommandRunner, expectUsageError } from '../../helpers/service-run.ts';

const cli = createCommandRunner();

const FLAGS = '--task, --evidence-submission, --evidence-form-type, --scope, or --all';
const FORM_TYPES =
  'Known: board-meeting, it-leadership-meeting, risk-committee-meeting, meeting, access-request, whistleblower-report, ' +
  'penetration-test, rbac-matrix, infrastructure-inventory, employee-performance-evaluation, network-diagram, tabletop-exercise.';
const SCOPES = 'Allowed: people, people_tasks, people_devices, people_chart.';

describe('invalid options of findings list', () => {
  it.each([
    [[], 'specify which findings to list', `Pass one of ${FLAGS}.`],
    [['--task', 'a', '--scope', 'people'], '2 selectors, but only one is allowed', `Pass one of ${FLAGS}.`],
    [['--task', ' '], '--task must not contain U+0020', 'IDs and domains contain only letters, digits, and ._~:@/+=|-'],
    [
      ['--evidence-form-type', 'account-types', '--exit-status'],
      '--evidence-form-type: orgadm does not know "account-types", so --exit-status could pass by mistake',
      FORM_TYPES,
    ],
    [['--scope', 'everyone'], '--scope: "everyone" …', SCOPES],
  ])('are rejected before anything is sent: %j', async (argv: string[], message: string, hint: string | undefined) => {
    const { service, run } = await cli.scripted([]);
    expectUsageError(await run(['findings', 'list', ...argv]), message, hint);
    expect(service.requests).toEqual([]);
  });

  it('are rejected if a selector that accepts any value is blank', async () => {
    await cli.plain(['config', 'set', 'wire.findings.scope', 'area']);
    expect((await cli.plain(['findings', 'list', '--scope', ' '])).code).toBe(2);
  });
});

describe('a form type that orgadm does not know', () => {
  it('is sent with a note, because newer services have more of them', async () => {
    const { service, run } = await cli.scripted([{ body: [{ id: 'a', evidenceFormType: 'account-types' }] }]);
    expect(await run(['findings', 'list', '--evidence-form-type', 'account-types'])).toMatchObject({
      code: 0,
      stdout: 'id\na\n',
      stderr:
        'orgadm does not know the form type "account-types". If your service does not know it either, the list may be empty or contain other findings.\n',
    });
    expect(service.requests[0]?.path).toBe('/v1/findings?evidenceFormType=account-types');
  });
});

describe('a selector that a setting renames', () => {
  it.each([
    ['wire.findings.scope', 'area', '--scope', 'facilities'],
    ['wire.findings.evidenceFormType', 'form', '--evidence-form-type', 'Board-Meeting'],
  ])('accepts any value under %s', async (setting, parameter, flag, value) => {
    const { service, run } = await cli.scripted([{ body: [{ id: 'a', [parameter]: value }] }]);
    await cli.plain(['config', 'set', setting, parameter]);
    expect(await run(['findings', 'list', flag, value])).toMatchObject({ code: 0, stderr: '' });
    expect(service.requests[0]?.path).toBe(`/v1/findings?${parameter}=${value}`);
  });
});
