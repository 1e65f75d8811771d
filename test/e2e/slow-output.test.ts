import { writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { closeAfterTests } from '../helpers/opened.ts';
import { createBinRunner, startBin } from '../helpers/orgadm-process.ts';
import { membersOf } from '../helpers/people-service.ts';
import { temporaryCliDirectory } from '../helpers/run-cli.ts';
import { type Handler, isFirstRead, startScriptedService } from '../helpers/scripted-service.ts';

/* The built program, and a service that ends its connections while orgadm is busy with a response. */

const opened = closeAfterTests();
const folder = temporaryCliDirectory();
const KEY = { ORGADM_API_KEY: 'key-of-the-slow-output' };

const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n';
const FINDINGS = JSON.stringify(Array.from({ length: 5_000 }, (_, at) => ({ id: `fnd_${at}`, text: 'x'.repeat(900) })));

describe('a response without a length, whose connection ends', () => {
  it.each([1, 3])('is printed completely if the output is read slowly (%i)', async (pause) => {
    const service = opened(await startScriptedService(() => ({ raw: `${HEAD}\r\n${FINDINGS}`, after: 'end' })));
    const child = startBin(['findings', 'list', '--all', '-o', 'csv', '--base-url', service.url], {
      ...KEY,
      HOME: folder.path,
    });
    let stderr = '';
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
    });
    let lines = 0;
    for await (const chunk of child.stdout) {
      lines += chunk.toString().split('\n').length - 1;
      // A reader that is slower than the service.
      await delay(pause);
    }
    expect({ lines, stderr }).toEqual({ lines: 5_001, stderr: '' });
  });

  it('is understood if it consists of many gzip members', async () => {
    const run = createBinRunner(folder, KEY);
    const empty = Buffer.concat(Array<Buffer>(50_000).fill(gzipSync('')));
    const respond: Handler = (request) => {
      if (isFirstRead(request.path)) return { body: [] };
      const created = membersOf(request).map(({ userId }) => ({ id: `mem_${userId}`, userId }));
      const head = Buffer.from(`${HEAD}content-encoding: gzip\r\n\r\n`);
      return { raw: Buffer.concat([head, gzipSync(JSON.stringify({ created, errors: [] })), empty]), after: 'end' };
    };
    const { url } = opened(await startScriptedService(respond));
    writeFileSync(folder.file('list.csv'), 'userId,role\nusr_1,member\nusr_2,member\n');
    const { code, stdout } = await run(['people', 'bulk-add', folder.file('list.csv'), '--base-url', url, '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ summary: { total: 2, created: 2 } });
  });
});
