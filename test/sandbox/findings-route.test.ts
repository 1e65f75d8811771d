import { describe, expect, it } from 'vitest';
import { openSandbox } from './open-sandbox.ts';

describe('GET /v1/findings', () => {
  it('responds with an array of complete findings', async () => {
    const { send } = await openSandbox();
    const { status, body } = await send('GET', '/v1/findings?evidenceFormType=rbac-matrix');
    expect(status).toBe(200);
    expect(body).toEqual([
      {
        id: 'fnd_0042',
        type: 'iso27001',
        status: 'ready_for_review',
        severity: 'critical',
        content: 'The screenshot shows the settings of one laptop only; the sample asked for is five.',
        revisionNote: null,
        createdAt: '2025-04-13T08:30:00.000Z',
        updatedAt: '2025-04-16T08:30:00.000Z',
        taskId: null,
        evidenceSubmissionId: null,
        evidenceFormType: 'rbac-matrix',
        scope: null,
        organizationId: 'org_sandbox',
        createdBy: {
          id: 'mem_00003',
          user: {
            id: 'usr_0003',
            name: 'Chloé Okafor',
            email: 'chloe.okafor@berlin.example.com',
            image: 'https://images.example.com/usr_0003.png',
          },
        },
        template: { id: 'tpl_document', category: 'documents', title: 'Document is out of date' },
        task: null,
        evidenceSubmission: null,
      },
    ]);
  });

  it.each([
    ['taskId=tsk_0001', 5, { taskId: 'tsk_0001', task: { id: 'tsk_0001', title: 'Review access rights of leavers' } }],
    [
      'evidenceSubmissionId=sub_0002',
      3,
      { evidenceSubmissionId: 'sub_0002', evidenceSubmission: { id: 'sub_0002', formType: 'penetration-test' } },
    ],
    ['scope=people_devices', 3, { scope: 'people_devices' }],
  ])('selects by %s', async (query, count, each) => {
    const { send } = await openSandbox();
    const { body } = await send('GET', `/v1/findings?${query}`);
    expect(body).toMatchObject(new Array(count).fill(each));
    expect(body).toHaveLength(count);
  });

  it.each(['', '?color=red'])('returns all findings for "%s"', async (query) => {
    const { send } = await openSandbox();
    expect((await send('GET', `/v1/findings${query}`)).body).toHaveLength(58);
  });

  it.each(['taskId=tsk_0006', 'evidenceSubmissionId=sub_0004', 'taskId=tsk_0001&scope=people'])(
    'returns an empty list for %s',
    async (query) => {
      const { send } = await openSandbox();
      expect(await send('GET', `/v1/findings?${query}`)).toMatchObject({ status: 200, body: [] });
    },
  );

  it.each([
    ['?taskId=tsk_9999', 404, 'Task tsk_9999 not found'],
    [
      '?scope=all',
      400,
      ['scope must be one of the following values: people, people_tasks, people_devices, people_chart'],
    ],
  ])('rejects "%s"', async (query, status, message) => {
    const { send } = await openSandbox();
    const got = await send('GET', `/v1/findings${query}`);
    expect(got.status).toBe(status);
    expect(got.body).toEqual({ message, error: status === 400 ? 'Bad Request' : 'Not Found', statusCode: status });
  });

  it('rejects a form type that the interface does not define, and lists the defined ones', async () => {
    const { send } = await openSandbox();
    const { status, body } = await send('GET', '/v1/findings?evidenceFormType=party');
    expect(status).toBe(400);
    expect(body).toHaveProperty(
      'message.0',
      expect.stringMatching(/^evidenceFormType must be one of .*board-meeting, /),
    );
  });
});
