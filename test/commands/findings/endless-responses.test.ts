import type { ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/util/host.ts';
import { createCommandRunner } from '../../helpers/service-run.ts';

const cli = createCommandRunner();
const ALL = ['findings', 'list', '--all', '--timeout', '300ms', '--retries', '0'];

/**
 * Sends the start of a body, and then the same piece for as long as the connection lasts.
 *
 * @param pauseMs between two pieces
 */
function endless(start: string, piece: string, pauseMs: number) {
  return async (_request: unknown, response: ServerResponse): Promise<undefined> => {
    response.writeHead(200, { 'content-type': 'application/json' }).write(start);
    while (!response.destroyed) {
      response.write(piece);
      await setTimeout(pauseMs);
    }
  };
}

const PAUSE_MS = 5;

const SPACE = ' '.repeat(16 * 1024);

describe('a response that goes on without another finding', () => {
  it.each(['table', 'ndjson'])('ends after the timeout, as %s', async (format) => {
    const { service, run } = await cli.scripted(endless('[', SPACE, PAUSE_MS));
    const { code, stdout, stderr } = await run([...ALL, '-o', format], { clock: systemClock });
    expect({ code, stdout }).toEqual({ code: 6, stdout: '' });
    expect(stderr).toContain(`the service at ${service.url} sent no finding within 0.3 s`);
    expect(stderr).toContain('allow more time with --timeout');
  });

  it.each([
    ['before the list', '', SPACE],
    ['between findings', '[{"id":1},', SPACE],
    ['after the list', '[{"id":1}]', SPACE],
    ['in a value next to the list', '{"data":[{"id":1}],"next":[', '"more",'],
  ])('ends after the timeout if it goes on %s', async (_name, start, piece) => {
    const { run } = await cli.scripted(endless(start, piece, PAUSE_MS));
    const { code, stdout } = await run([...ALL, '-o', 'ndjson'], { clock: systemClock });
    expect({ code, stdout }).toEqual({ code: 6, stdout: start.includes('1') ? '{"id":1}\n' : '' });
  });
});

describe('a list of findings that never ends', () => {
  it('ends with an error at 64 MiB if orgadm holds it', async () => {
    const { run } = await cli.scripted(endless('[', '{},'.repeat(100_000), 0));
    expect(await run(['findings', 'list', '--all'])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: `error: there are more than 64 MiB of findings
hint: Request fewer findings. With -o ndjson or -o csv, orgadm prints a list of any size as it arrives.
`,
    });
  });

  it('may be longer than that if orgadm prints it as it arrives', async () => {
    const { run } = await cli.scripted([{ body: `[${'{},'.repeat(350_000)}{}]` }]);
    const { code, stdout } = await run(['findings', 'list', '--all', '-o', 'ndjson']);
    expect({ code, findings: stdout.length / '{}\n'.length }).toEqual({ code: 0, findings: 350_001 });
  });
});
