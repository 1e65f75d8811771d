import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createOutput, type OutputOptions } from '../../src/output/output.ts';
import { Secrets } from '../../src/output/redact.ts';
import { text } from '../../src/output/text.ts';
import { OrgadmError } from '../../src/util/errors.ts';
import { MemoryOutput } from '../helpers/run-cli.ts';

async function open(options: Partial<OutputOptions> & { stdout?: MemoryOutput; stderr?: MemoryOutput } = {}) {
  const { stdout = new MemoryOutput(undefined), stderr = new MemoryOutput(undefined), ...rest } = options;
  const output = await createOutput({
    streams: { stdout, stderr },
    env: {},
    format: 'table',
    quiet: false,
    secrets: new Secrets(),
    ...rest,
  });
  return { output, stdout, stderr };
}

/** A stream that is slower than its writer, so that the writer has to wait. */
function collector(): Writable & { readonly bytes: Buffer } {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    highWaterMark: 16,
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      setImmediate(done);
    },
  });
  return Object.defineProperty(stream, 'bytes', { get: () => Buffer.concat(chunks) }) as Writable & { bytes: Buffer };
}

describe('stdout', () => {
  it('has a width on a terminal only, also after a resize', async () => {
    const terminal = new MemoryOutput(120);
    const { output } = await open({ stdout: terminal });
    expect(output.width).toBe(120);
    terminal.columns = 60;
    expect(output.width).toBe(60);
    terminal.columns = 0;
    expect(output.width).toBe(80);
    expect((await open()).output.width).toBeUndefined();
  });

  it('receives blocks that fit the terminal, separated by empty lines', async () => {
    const { output, stdout } = await open({ stdout: new MemoryOutput(16), color: false });
    await output.print({ columns: ['h'], rows: [['x'.repeat(20)]] });
    await output.print({ columns: ['h'], rows: [['more']], isContinued: true });
    await output.print(text`14 rows: 12 created`);
    await output.print({ code: ['/a path/of words'] });
    await output.flush();
    expect(stdout.text).toBe(
      `h\n${'─'.repeat(16)}\nxxxxxxxxxxxxxxx…\nmore\n\n14 rows: 12 created\n\n/a path/of words\n`,
    );
  });

  it('receives blocks without cuts in a pipe', async () => {
    const { output, stdout } = await open();
    await output.print(text`${'14 rows'}: 12 created`);
    await output.print({ items: ['one', text`two ${'\x1b[2J\u202e'}`] });
    await output.flush();
    expect(stdout.text).toBe('14 rows: 12 created\n\none\ntwo \\u001b[2J\\u202e\n');
  });

  it('receives bytes unchanged, in order with the text around them', async () => {
    const stdout = collector();
    const output = await createOutput({
      streams: { stdout, stderr: collector() },
      env: {},
      format: 'table',
      quiet: false,
      secrets: new Secrets(),
    });
    const everyByte = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    await output.writeRendered('before ');
    await output.writeRendered(everyByte);
    await output.writeRendered(' between ');
    await output.writeRendered(everyByte);
    await output.flush();
    expect(stdout.bytes).toEqual(
      Buffer.concat([Buffer.from('before '), everyByte, Buffer.from(' between '), everyByte]),
    );
  });
});

describe('stderr', () => {
  it('receives messages without control characters', async () => {
    const { output, stdout, stderr } = await open();
    output.note('a note\x1b[2J\nerror: of two lines');
    output.note('a hint\u202e');
    output.warn('a warning\r\n!');
    output.trace('GET /v1/findings 200\x07');
    await output.flush();
    expect(stderr.text).toBe(
      'a note\\u001b[2J\n  error: of two lines\na hint\\u202e\nwarning: a warning\n  !\nGET /v1/findings 200\\u0007\n',
    );
    expect(stdout.text).toBe('');
  });

  it('receives warnings, errors and requested text even under --quiet', async () => {
    const { output, stderr } = await open({ quiet: true });
    output.note('note');
    output.warn('careful');
    output.trace('trace');
    output.error(new OrgadmError('internal', 1, 'bad'), { debug: false });
    await output.flush();
    expect(stderr.text).toBe('warning: careful\ntrace\nerror: bad\n');
  });

  it('receives messages after the data that was written before them', async () => {
    const both = new MemoryOutput(80);
    const { output } = await open({ stdout: both, stderr: both });
    await output.writeRendered('data\n');
    output.note('talk');
    await output.writeRendered('more\n');
    await output.flush();
    expect(both.text).toBe('data\ntalk\nmore\n');
  });

  it('causes no error if its reader has exited', async () => {
    const stderr = new MemoryOutput(undefined);
    const { output, stdout } = await open({ stderr });
    const closed = new Promise((resolve) => stderr.once('close', resolve));
    stderr.destroy(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
    await closed;
    output.warn('x');
    await output.writeRendered('data');
    await output.flush();
    expect(stdout.text).toBe('data');
  });
});
