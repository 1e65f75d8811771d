import { Writable } from 'node:stream';
import { expect, it } from 'vitest';
import { createOutput } from '../../src/output/output.ts';

function collector(): Writable & { readonly bytes: Buffer } {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    // Slower than its writer, so that the writer has to wait.
    highWaterMark: 16,
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      setImmediate(done);
    },
  });
  return Object.defineProperty(stream, 'bytes', { get: () => Buffer.concat(chunks) }) as Writable & { bytes: Buffer };
}

it('writes bytes as they are, in order with the text around them', async () => {
  const stdout = collector();
  const output = await createOutput({
    streams: { stdout, stderr: collector() },
    env: {},
    format: 'table',
    quiet: false,
    rawCsv: false,
  });
  const everyByte = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
  await output.write('before ');
  await output.bytes(everyByte);
  await output.write(' between ');
  await output.bytes(everyByte);
  await output.flush();
  expect(stdout.bytes).toEqual(Buffer.concat([Buffer.from('before '), everyByte, Buffer.from(' between '), everyByte]));
});
