import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { closeAfterTests } from '../helpers/opened.ts';
import { temporaryCliDirectory } from '../helpers/run-cli.ts';
import { startScriptedService } from '../helpers/scripted-service.ts';
import { runBin } from './run-bin.ts';

const home = temporaryCliDirectory();
const opened = closeAfterTests();

/** Findings per write, and a heap that has room for only some of those writes. */
const [IN_ONE_WRITE, HEAP_MIB] = [1_000, 128];

/** Runs the built program with a small heap against a service that sends `writes` times a piece of 1,000 findings. */
async function list(finding: string, writes: number, argv: readonly string[]) {
  const respond = (_request: unknown, response: ServerResponse): undefined => {
    const piece = `${finding},`.repeat(IN_ONE_WRITE);
    let left = writes;
    response.writeHead(200, { 'content-type': 'application/json' }).write('[');
    const write = () => {
      while (!response.destroyed && left-- > 0) if (!response.write(piece)) return;
      if (left < 0) response.end(`${finding}]`);
    };
    response.on('drain', write);
    write();
  };
  const service = opened(await startScriptedService(respond));
  const env = { HOME: home.path, ORGADM_BASE_URL: service.url, ORGADM_API_KEY: 'k-1234567890' };
  return runBin(['findings', 'list', '--all', ...argv], {
    env: { ...env, NODE_OPTIONS: `--max-old-space-size=${HEAP_MIB}` },
  });
}

describe('a list of findings that never ends', () => {
  it.each([
    ['a table', `{"id":"f1","content":"${'x'.repeat(1_000)}"}`, ['-o', 'table']],
    ['json', `{"id":"f1","content":"${'x'.repeat(1_000)}"}`, ['-o', 'json']],
    ['json of text that is not Latin', `{"id":"f1","content":"${'x'.repeat(1_000)}—"}`, ['-o', 'json']],
    ['json of empty findings', '{}', ['-o', 'json']],
    ['sorted ndjson', `{"id":"f1","content":"${'x'.repeat(1_000)}"}`, ['-o', 'ndjson', '--sort', 'id']],
  ])('ends with an error before it uses up the memory, as %s', async (_name, finding, argv) => {
    const { code, stdout, stderr } = await list(finding, Number.POSITIVE_INFINITY, argv);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/there are more than \d\d MiB of findings/);
    expect(stderr).toContain('With -o ndjson or -o csv, and without --sort, orgadm prints a list of any size');
  });

  it.each([
    ['ndjson', 50_001],
    ['csv', 50_002],
  ])('may be longer than what orgadm would hold, as %s', async (format, lines) => {
    const { code, stdout } = await list(`{"id":"f1","content":"${'x'.repeat(1_000)}"}`, 50, ['-o', format]);
    expect({ code, lines: stdout.split('\n').length - 1 }).toEqual({ code: 0, lines });
  });
});
