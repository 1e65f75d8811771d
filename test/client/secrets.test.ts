import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { RequestSpec } from '../../src/client/service.ts';
import { closeAfterTests } from '../helpers/opened.ts';
import { type Reply, startScriptedService } from '../helpers/scripted-service.ts';
import { CANARY_KEY, failureOf, testClient } from '../helpers/test-client.ts';

const POST: RequestSpec = {
  method: 'POST',
  path: ['v1', 'people', 'bulk'],
  body: { note: `my key is ${CANARY_KEY}` },
};

const opened = closeAfterTests();

/** Everything that anyone could print of an error: its fields, hidden ones too, and those of its causes. */
const complete = (error: unknown) => inspect(error, { depth: null, showHidden: true, maxStringLength: null });

describe('a redirect', () => {
  it.each([301, 307])('is not followed with the status %i: the other origin receives nothing', async (status) => {
    const other = opened(await startScriptedService([]));
    const service = opened(
      await startScriptedService([{ status, headers: { location: `${other.url}/v1/people/bulk` } }]),
    );
    const error = await failureOf(opened(testClient(service.url)).request({ ...POST, isRepeatable: true }));
    expect(error).toMatchObject({ code: 'redirect', exitCode: 1, status });
    expect(other.connections()).toBe(0);
  });
});

describe('the key', () => {
  it.each(['', 'with blank', 'line\nbreak', 'schlüssel'])('rejects %j without repeating it', (apiKey) => {
    let error: unknown;
    try {
      testClient('https://api.example.com', { apiKey });
    } catch (caught) {
      error = caught;
    }
    expect(error).toMatchObject({ exitCode: 2 });
    if (apiKey.trim() !== '') expect(complete(error)).not.toContain(apiKey);
  });
});

describe('the trace', () => {
  const traced = async (reply: Reply, spec: RequestSpec) => {
    const service = opened(await startScriptedService([reply]));
    const lines: string[] = [];
    const trace = (line: string) => lines.push(line);
    await opened(testClient(service.url, { trace }))
      .request(spec)
      .catch(() => {});
    return { url: service.url, lines };
  };

  it('has one line per request', async () => {
    const { url, lines } = await traced(
      { headers: { 'x-request-id': 'req-7' }, body: [] },
      { method: 'GET', path: ['v1', 'findings'], query: { taskId: 'tsk_1' } },
    );
    const requests = lines.filter((line) => line.includes(' -> '));
    expect(requests).toEqual([`GET ${url}/v1/findings?taskId=tsk_1 -> 200, request id req-7 (0 ms)`]);
  });

  it('truncates long bodies', async () => {
    const { lines } = await traced(
      { body: 'y'.repeat(5_000) },
      { method: 'POST', path: ['v1'], rawBody: 'x'.repeat(10_000) },
    );
    expect(lines).toContain(`> ${'x'.repeat(4_096)} [5904 more characters]`);
    expect(lines).toContain(`< ${'y'.repeat(4_096)} [904 more characters]`);
  });
});
