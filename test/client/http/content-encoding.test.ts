import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { RequestSpec, StreamedResponse } from '../../../src/client/service-client.ts';
import { closeAfterTests } from '../../helpers/opened.ts';
import { type Reply, startScriptedService } from '../../helpers/scripted-service.ts';
import { failureOf, testClient } from '../../helpers/test-client.ts';

const READ: RequestSpec = { method: 'GET', path: ['v1', 'findings'], retry: 'none' };
const MIB = 1024 * 1024;
const TEXT = JSON.stringify(Array.from({ length: 20_000 }, (_, row) => ({ id: `fnd_${row}`, content: 'é' })));
const bytes = Buffer.from(TEXT);

const opened = closeAfterTests();
const clientFor = async (...replies: Reply[]) => opened(testClient(opened(await startScriptedService(replies)).url));
const encoded = (encoding: string, body: Buffer): Reply => ({ headers: { 'content-encoding': encoding }, body });

describe('the text of a response', () => {
  it.each<[string, Reply]>([
    ['plain text', { body: bytes }],
    ['gzip', encoded('gzip', gzipSync(bytes))],
    ['identity', encoded('identity', bytes)],
    ['no encoding', encoded('', bytes)],
  ])('is decoded completely if it was sent as %s', async (_name, reply) => {
    const client = await clientFor(reply, reply);
    expect((await client.request(READ)).text).toBe(TEXT);
    expect(await text((await client.stream(READ)).chunks)).toBe(TEXT);
  });

  it.each([
    ['application/json; charset=ISO-8859-1', Buffer.from('"Jos\u00e9"', 'latin1'), '"José"'],
    ['text/html;charset="windows-1252"', Buffer.from([0x80]), '€'],
    ['application/json; charset=utf-16le', Buffer.from('["é🔑"]', 'utf16le'), '["é🔑"]'],
    ['application/json; charset=shift_jis', Buffer.from([0x22, 0x83, 0x65, 0x22]), '"テ"'],
    ['application/json; charset=UTF-8', Buffer.from('"é"'), '"é"'],
    ['application/json; charset=unknown-8bit', Buffer.from('"é"'), '"é"'],
  ])('is that of its charset for %s, in an error, too', async (type, body, expected) => {
    const reply = { headers: { 'content-type': type }, body };
    const client = await clientFor(reply, reply, { ...reply, status: 400 });
    const response = await client.request(READ);
    expect([response.text, response.bytes.toString()]).toEqual([expected, expected]);
    expect(await text((await client.stream(READ)).chunks)).toBe(expected);
    expect((await failureOf(client.request(READ))).response?.text).toBe(expected);
  });

  it('is decoded from chunks that split a character', async () => {
    const service = opened(
      await startScriptedService((_request, response) => {
        response.write(Buffer.from([0x22, 0xc3]));
        setImmediate(() => response.end(Buffer.from([0xa9, 0x22])));
        return undefined;
      }),
    );
    expect((await opened(testClient(service.url)).request(READ)).text).toBe('"é"');
  });

  it('has invalid UTF-8 replaced, and no byte order mark', async () => {
    const client = await clientFor({ body: Buffer.from([0xef, 0xbb, 0xbf, 0x22, 0xff, 0x22]) });
    expect((await client.request(READ)).text).toBe('"\ufffd"');
  });

  it('is empty for an empty body that claims to be compressed', async () => {
    const client = await clientFor(encoded('gzip', Buffer.alloc(0)));
    expect((await client.request(READ)).text).toBe('');
  });
});

describe('an unknown encoding', () => {
  it.each(['__proto__', 'br'])('is reported for %s', async (name) => {
    const client = await clientFor(encoded(name, bytes), { status: 400, ...encoded(name, bytes) });
    const error = await failureOf(client.request(READ));
    expect(error).toMatchObject({
      kind: 'invalid-response',
      processed: 'maybe',
      exitCode: 1,
      hint: 'The service or a proxy used a compression that orgadm did not request.',
    });
    expect(error.message).toContain(`the encoding "${name}" is unknown`);
    expect(await failureOf(client.request(READ))).toMatchObject({ kind: 'rejected', status: 400 });
  });
});

describe('the size limit of a response', () => {
  it('includes the limit itself', async () => {
    const client = await clientFor({ body: 'x'.repeat(32 * MIB) }, { body: 'x'.repeat(32 * MIB + 1) });
    expect((await client.request(READ)).text).toHaveLength(32 * MIB);
    expect(await failureOf(client.request(READ))).toMatchObject({
      kind: 'response-too-large',
      exitCode: 1,
    });
  });

  it('applies to the decompressed size of a small compressed body', async () => {
    const bomb = Buffer.concat(Array<Buffer>(300).fill(gzipSync(Buffer.alloc(MIB))));
    const client = await clientFor(encoded('gzip', bomb));
    // Not the resident memory, which other tests of this process change.
    const before = process.memoryUsage().arrayBuffers;
    const error = await failureOf(client.request(READ));
    expect(error).toMatchObject({ kind: 'response-too-large', processed: 'maybe' });
    expect(error.message).toBe('the response is larger than 32 MiB');
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(100 * MIB);
  });

  it('does not apply to a stream', async () => {
    const client = await clientFor({ headers: {}, body: Buffer.alloc(40 * MIB, 'x') });
    let size = 0;
    for await (const chunk of (await client.stream(READ)).chunks) size += chunk.length;
    expect(size).toBe(40 * MIB);
  });
});

describe('a streamed response', () => {
  it('is retried until a response arrives', async () => {
    const client = await clientFor({ status: 503 }, { body: '[]' });
    const response = await client.stream({ ...READ, retry: 'safe' });
    expect(response).toMatchObject({ status: 200 });
    expect(await text(response.chunks)).toBe('[]');
  });

  it('is rejected with the message of the service for an error status', async () => {
    const client = await clientFor({ status: 400, body: { message: 'taskId must be a string' } });
    expect(await failureOf(client.stream(READ))).toMatchObject({ status: 400, messages: ['taskId must be a string'] });
  });

  it.each<[string, (response: StreamedResponse) => unknown]>([
    [
      'its reader stops in the middle',
      async ({ chunks }) => {
        for await (const _chunk of chunks) break;
      },
    ],
    ['it is discarded without being read', (response) => response.discard()],
  ])('closes its connection if %s', async (_name, leave) => {
    let onClose = () => {};
    const closed = new Promise<void>((resolve) => {
      onClose = resolve;
    });
    const service = opened(
      await startScriptedService((_request, response) => {
        response.on('close', onClose).write('x'.repeat(100));
        return undefined;
      }),
    );
    await leave(await opened(testClient(service.url)).stream(READ));
    await closed;
  });

  it('throws where it is read if it was cut', async () => {
    const service = opened(
      await startScriptedService((_request, response) => {
        response.writeHead(200, { 'content-length': '100' }).write('x'.repeat(50), () => response.destroy());
        return undefined;
      }),
    );
    const { chunks } = await opened(testClient(service.url)).stream(READ);
    const read = (async () => {
      for await (const _chunk of chunks);
    })();
    expect(await failureOf(read)).toMatchObject({ kind: 'interrupted', processed: 'maybe' });
  });
});
