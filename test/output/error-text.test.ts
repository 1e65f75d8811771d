import { describe, expect, it } from 'vitest';
import { createOutput, type OutputOptions } from '../../src/output/output.ts';
import { OrgadmError, UsageError } from '../../src/util/errors.ts';
import { MemoryStream, MemoryTerminal } from './memory-terminal.ts';

const rejected = new OrgadmError('rejected', 1, "Cannot grant 'control:delete' permission", {
  hint: 'Ask an owner.',
  status: 403,
  requestId: 'req_1',
});

interface Choices extends Partial<OutputOptions> {
  debug?: boolean;
  stderr?: MemoryStream;
}

/** Returns the text printed for an error. */
async function shown(error: OrgadmError, choices: Choices = {}): Promise<string> {
  const { debug = false, stderr = new MemoryStream(), ...options } = choices;
  const output = await createOutput({
    streams: { stdout: new MemoryStream(), stderr },
    env: {},
    format: 'table',
    quiet: false,
    rawCsv: false,
    ...options,
  });
  output.error(error, { debug });
  await output.flush();
  return stderr.text;
}

describe('an error as text', () => {
  it('is its message and its hint', async () => {
    expect(await shown(rejected)).toBe("error: Cannot grant 'control:delete' permission\nhint: Ask an owner.\n");
    expect(await shown(new UsageError('no such flag'))).toBe('error: no such flag\n');
  });

  it('is sanitized', async () => {
    const error = new OrgadmError('rejected', 1, 'the service said: \x1b[2Jgone\nline 2\u202e', {
      hint: 'see \x1b]8;;x\x07this',
    });
    expect(await shown(error)).toBe('error: the service said: gone\n  line 2\\u202e\nhint: see this\n');
  });

  it('has a colored label and a readable message and hint', async () => {
    expect(await shown(rejected, { env: { FORCE_COLOR: '1' } })).toBe(
      "\x1b[31merror:\x1b[39m Cannot grant 'control:delete' permission\n\x1b[1mhint:\x1b[22m Ask an owner.\n",
    );
  });

  it('is wrapped at the words of a terminal, and redacted before that', async () => {
    const redact = (text: string) => text.replaceAll('a secret of words', '***');
    const error = new UsageError('the file a secret of words is not a list', 'Pass a list of members instead.');
    expect(await shown(error, { stderr: new MemoryTerminal(24), color: false, redact })).toBe(
      'error: the file *** is\n  not a list\nhint: Pass a list of\n  members instead.\n',
    );
  });

  it('has its sanitized stack and causes with debug', async () => {
    const socket = new Error('connect \x1b[31mECONNREFUSED');
    const cause = new AggregateError([socket, 'not even an error'], 'all addresses failed');
    const text = await shown(new OrgadmError('unreachable', 6, 'no response', { cause }), { debug: true });
    const reported = text.split('\n').filter((line) => !line.startsWith('      at '));
    expect(reported).toEqual([
      'error: no response',
      'OrgadmError: no response',
      'caused by: AggregateError: all addresses failed',
      'caused by: Error: connect ECONNREFUSED',
      'caused by: not even an error',
      '',
    ]);
    expect(text).toContain('error-text.test.ts');
  });
});

describe('an error as JSON', () => {
  it('is one line without the members that have no value', async () => {
    expect(await shown(rejected, { format: 'json' })).toBe(
      '{"error":{"code":"rejected","message":"Cannot grant \'control:delete\' permission","hint":"Ask an owner.","status":403,"requestId":"req_1"}}\n',
    );
    expect(await shown(new UsageError('a\nb\u202e'), { format: 'ndjson', stderr: new MemoryTerminal(10) })).toBe(
      '{"error":{"code":"usage","message":"a\\nb\\u202e"}}\n',
    );
  });

  it('has its stack with debug', async () => {
    const error = new OrgadmError('unreachable', 6, 'no response', { cause: new Error('all addresses failed') });
    const { stack } = JSON.parse(await shown(error, { debug: true, format: 'json' })).error;
    expect(stack).toContain('caused by: Error: all addresses failed');
  });
});
