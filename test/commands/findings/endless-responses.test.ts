import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/util/host.ts';
import { createCommandRunner } from '../../helpers/service-run.ts';

const cli = createCommandRunner();
const ALL = ['findings', 'list', '--all', '--timeout', '300ms'];

/** Sends the start of a body, and then the same piece for as long as the connection lasts. */
function endless(start: string, piece: string) {
  return (_request: unknown, response: ServerResponse): undefined => {
    response.writeHead(200, { 'content-type': 'application/json' }).write(start);
    const write = () => {
      while (!response.destroyed && response.write(piece));
    };
    response.on('drain', write);
    write();
  };
}

const SPACE = ' '.repeat(16 * 1024);

describe('a response that goes on without another finding', () => {
  it.each(['table', 'ndjson'])('ends after the timeout, as %s', async (format) => {
    const { service, run } = await cli.scripted(endless('[', SPACE));
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
    const { run } = await cli.scripted(endless(start, piece));
    const { code, stdout } = await run([...ALL, '-o', 'ndjson'], { clock: systemClock });
    expect({ code, stdout }).toEqual({ code: 6, stdout: start.includes('1') ? '{"id":1}\n' : '' });
  });
});

describe('a list of findings that never ends', () => {
  it('ends with an error at 64 MiB if orgadm holds it', async () => {
    const { run } = await cli.scripted(endless('[', '{},'.repeat(10_000)));
    expect(await run(['findings', 'list', '--all'])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: `error: there are more than 64 MiB of findings
hint: Request fewer findings. With -o ndjson or -o csv, and without --sort, orgadm prints a list of any size as it arrives.
`,
    });
  });

  it('may be longer than that if orgadm prints it as it arrives', async () => {
    const { run } = await cli.scripted([{ body: `[${'{},'.repeat(350_000)}{}]` }]);
    const { code, stdout } = await run(['findings', 'list', '--all', '-o', 'ndjson']);
    expect({ code, findings: stdout.length / '{}\n'.length }).toEqual({ code: 0, findings: 350_001 });
  });
});
