import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { closeAfterTests } from '../helpers/opened.ts';
import { startBin } from '../helpers/orgadm-process.ts';
import { temporaryCliDirectory } from '../helpers/run-cli.ts';
import { startScriptedService } from '../helpers/scripted-service.ts';

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
});
