import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough, Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { BufferedWriter } from '../../src/output/buffered-writer.ts';
import { OrgadmError } from '../../src/util/errors.ts';
import { MemoryStream } from './memory-terminal.ts';

const nothing = () => {};

/** A stream on a full disk. */
function fullDisk(): Writable {
  return new Writable({
    write: (_chunk, _encoding, done) =>
      done(Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })),
  });
}

describe('BufferedWriter', () => {
  it('combines ten thousand small writes into few large ones, in order', async () => {
    const stream = new MemoryStream();
    const writer = new BufferedWriter(stream, nothing);
    for (let at = 0; at < 10_000; at++) await writer.write(`line ${at}\n`);
    await writer.flush();
    expect(stream.text).toBe(Array.from({ length: 10_000 }, (_, at) => `line ${at}\n`).join(''));
    expect(stream.writes).toBeLessThan(10);
  });
});

describe('a slow reader', () => {
  it('makes the writer wait, and loses nothing', async () => {
    const stream = new PassThrough({ highWaterMark: 1024 });
    const writer = new BufferedWriter(stream, nothing);
    const line = `${'x'.repeat(999)}\n`;
    let written = 0;
    const writing = (async () => {
      for (; written < 1000; written++) await writer.write(line);
      await writer.flush();
      stream.end();
    })();
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    expect(written).toBeLessThan(70);
    let size = 0;
    for await (const chunk of stream) size += (chunk as Buffer).length;
    await writing;
    expect(size).toBe(1_000_000);
  });
});

describe('a reader that closes the stream', () => {
  it('causes no error: the rest is dropped, and the writer reports that it is closed', async () => {
    const head = spawn('head', ['-n', '1'], { stdio: ['pipe', 'pipe', 'inherit'] });
    const writer = new BufferedWriter(head.stdin, nothing);
    let read = '';
    head.stdout.on('data', (chunk: Buffer) => {
      read += chunk.toString();
    });
    let written = 0;
    for (; !writer.closed && written < 1_000_000; written++) await writer.write(`line ${written} ${'x'.repeat(200)}\n`);
    await writer.write('no one reads this');
    await writer.flush();
    if (head.exitCode === null) await once(head, 'close');
    expect(writer.closed).toBe(true);
    expect(written).toBeLessThan(1_000_000);
    expect(read.startsWith('line 0 ')).toBe(true);
  });

  it('ends the wait of a writer', async () => {
    const stream = new Writable({ highWaterMark: 1, write: nothing });
    const writer = new BufferedWriter(stream, nothing);
    const writing = writer.write('x'.repeat(100_000));
    stream.destroy();
    await writing;
    await writer.flush();
    expect(writer.closed).toBe(true);
  });
});

describe('a full disk', () => {
  it('is an error at the flush', async () => {
    const writer = new BufferedWriter(fullDisk(), nothing);
    await writer.write('a');
    const error = await writer.flush().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(OrgadmError);
    expect(error).toMatchObject({
      code: 'output-failed',
      exitCode: 1,
      message: 'cannot write the output: no space left on device (ENOSPC)',
    });
  });

  it('stops a long write', async () => {
    const writer = new BufferedWriter(fullDisk(), nothing);
    const endless = (async () => {
      for (;;) await writer.write('x'.repeat(10_000));
    })();
    await expect(endless).rejects.toThrow('ENOSPC');
  });

  it('is not an error if it cannot be reported', async () => {
    const writer = new BufferedWriter(fullDisk(), nothing);
    writer.writeNow('warning');
    await writer.finish();
    writer.writeNow('another');
    await writer.finish();
  });
});
