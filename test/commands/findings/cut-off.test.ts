import { describe, expect, it } from 'vitest';
import type { Handler, RawReply } from '../../helpers/scripted-service.ts';
import { createCommandRunner } from '../../helpers/service-run.ts';
import { createAutoClock } from '../../helpers/test-clock.ts';

const cli = createCommandRunner();
const FINDINGS = Array.from({ length: 2_000 }, (_, at) => ({ id: `fnd_${at}`, status: 'open' }));
const JSON_TEXT = JSON.stringify(FINDINGS);
const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';

/** The list up to its n-th finding, after which the connection ends: with an announced length, or without one. */
const cutAfter = (findings: number, length = ''): RawReply => {
  const end = JSON_TEXT.indexOf(`fnd_${findings}"`);
  return { raw: `${HEAD}${length}\r\n${JSON_TEXT.slice(0, end)}`, after: 'end' };
};
const LENGTH = `content-length: ${JSON_TEXT.length}\r\n`;

/** Sends the replies in this order, then the entire list. */
const sending = (...replies: RawReply[]): Handler => {
  const left = [...replies];
  return () => left.shift() ?? { body: FINDINGS };
};

const list = async (handler: Handler, ...flags: string[]) => {
  const { service, run } = await cli.scripted(handler);
  const result = await run(['findings', 'list', '--all', ...flags], { clock: createAutoClock() });
  return { ...result, requests: service.requests.length };
};

describe('a list of findings that was cut off', () => {
  it.each([
    ['-o json', ['-o', 'json']],
    ['a table', []],
  ])('is requested again for %s, which prints it once', async (_name, flags) => {
    const whole = await list(sending(), ...flags);
    const again = await list(sending(cutAfter(1_500, LENGTH), cutAfter(0), cutAfter(1_999)), ...flags);
    expect(again).toMatchObject({ code: 0, stdout: whole.stdout, stderr: whole.stderr, requests: 4 });
  });

  it('is requested again for -o csv, unless a finding was printed', async () => {
    const whole = await list(sending(), '-o', 'csv');
    expect(await list(sending(cutAfter(500, LENGTH)), '-o', 'csv')).toEqual({
      ...whole,
      requests: 2,
      json: expect.anything(),
    });
    const printed = await list(sending(cutAfter(1_500, LENGTH)), '-o', 'csv');
    expect(printed).toMatchObject({ code: 6, requests: 1 });
    expect(whole.stdout.startsWith(printed.stdout)).toBe(true);
    expect(printed.stderr).toContain('was lost');
  });

  it('is requested again for -o ndjson, unless a finding was printed', async () => {
    expect(await list(sending(cutAfter(0, LENGTH)), '-o', 'ndjson')).toMatchObject({ code: 0, requests: 2 });
    expect(await list(sending(cutAfter(10, LENGTH)), '-o', 'ndjson')).toMatchObject({ code: 6, requests: 1 });
  });

  it('keeps no finding of an earlier attempt for a filter or a gate', async () => {
    const { code, stderr } = await list(
      sending(cutAfter(1_500)),
      '--status',
      'closed',
      '--exit-status',
      '--jq',
      'length',
    );
    expect(code).toBe(0);
    expect(stderr).toContain(' 2,000 of 2,000 findings');
  });

  it('is an error after the usual attempts', async () => {
    const { code, stdout, stderr, requests } = await list(() => cutAfter(1_500), '--json');
    expect({ code, stdout, requests }).toEqual({ code: 6, stdout: '', requests: 5 });
    expect(JSON.parse(stderr)).toMatchObject({
      error: {
        code: 'interrupted',
        message: expect.stringMatching(/^the service at http:\S+ ended its response before the end of the list$/),
        hint: expect.stringContaining('5 attempts'),
      },
    });
  });

  it('is requested only once with --retries 0', async () => {
    expect(await list(sending(cutAfter(5)), '--retries', '0')).toMatchObject({ code: 6, stdout: '', requests: 1 });
  });
});
