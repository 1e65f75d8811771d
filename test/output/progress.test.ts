import { describe, expect, test } from 'vitest';
import { createOutput } from '../../src/output/output.ts';
import { createProgress, type ProgressOptions } from '../../src/output/progress.ts';
import { createTestClock } from '../helpers/test-clock.ts';
import { MemoryStream, MemoryTerminal, screen } from './memory-terminal.ts';

const HIDE = '\x1b[?25l';
const SHOW = '\x1b[?25h';

function options(stderr: MemoryStream, more: Partial<ProgressOptions> = {}): ProgressOptions {
  return { stderr, env: { TERM: 'xterm' }, quiet: false, verbose: false, clock: createTestClock(), ...more };
}

describe('on a terminal', () => {
  test('shows a line, and leaves nothing behind', async () => {
    const terminal = new MemoryTerminal();
    const progress = await createProgress(options(terminal));
    expect(terminal.text).toBe('');
    progress.update('12 of 30 rows');
    expect(screen(terminal.text)).toEqual(['⠋ 12 of 30 rows']);
    progress.stop();
    expect(screen(terminal.text)).toEqual(['']);
  });

  test('hides the cursor and gives it back, once', async () => {
    const terminal = new MemoryTerminal();
    const progress = await createProgress(options(terminal));
    progress.update('a');
    progress.update('b');
    expect(terminal.text.split(HIDE)).toHaveLength(2);
    expect(terminal.text).not.toContain(SHOW);
    progress.stop();
    progress.stop();
    expect(terminal.text.split(SHOW)).toHaveLength(2);
  });

  test('comes up again after a stop', async () => {
    const terminal = new MemoryTerminal();
    const progress = await createProgress(options(terminal));
    progress.update('reading');
    progress.stop();
    progress.update('sending');
    expect(screen(terminal.text)).toEqual(['⠋ sending']);
    progress.stop();
  });

  test('shows cleaned text, cut to the terminal', async () => {
    const terminal = new MemoryTerminal(12);
    const progress = await createProgress(options(terminal));
    progress.update('\x1b[31msent\nto 監査 and others');
    expect(screen(terminal.text)).toEqual(['⠋ sent to…']);
    progress.stop();
  });

  test('never swallows a note or data, nor they it', async () => {
    const terminal = new MemoryTerminal();
    const streams = { stdout: terminal, stderr: terminal };
    const output = await createOutput({ streams, env: {}, format: 'table', color: false, quiet: false, rawCsv: false });
    const progress = await createProgress(options(terminal));
    output.attach(progress);
    progress.update('sending');
    output.note('note');
    output.warn('careful');
    await output.write('data\n');
    await output.flush();
    expect(screen(terminal.text).map((line) => line.trimEnd())).toEqual([
      'note',
      'warning: careful',
      'data',
      '⠋ sending',
    ]);
    progress.stop();
    expect(screen(terminal.text).map((line) => line.trimEnd())).toEqual(['note', 'warning: careful', 'data', '']);
  });

  test('asks for a new text every second while it is up', async () => {
    const terminal = new MemoryTerminal();
    const clock = createTestClock();
    let left = 42;
    const progress = await createProgress(
      options(terminal, { clock, onTick: () => `limited by the service, ${left--} s` }),
    );
    expect(clock.waiting()).toEqual([]);
    progress.update('sending');
    await clock.advance(1000);
    progress.update('sending');
    await clock.advance(1000);
    expect(left).toBe(40);
    progress.stop();
    expect(clock.waiting()).toEqual([]);
  });
});

describe('without a terminal', () => {
  test('is silent', async () => {
    const stream = new MemoryStream();
    const progress = await createProgress(options(stream));
    progress.update('a');
    progress.stop();
    expect(stream.text).toBe('');
  });

  test('writes a plain line at most every 10 seconds under verbose', async () => {
    const stream = new MemoryStream();
    const clock = createTestClock();
    const progress = await createProgress(options(stream, { verbose: true, clock }));
    progress.update('1 row\x1b[2J');
    await clock.advance(9999);
    progress.update('2 rows');
    await clock.advance(1);
    progress.update('3 rows');
    progress.stop();
    expect(stream.text).toBe('1 row\n3 rows\n');
  });
});

test.each([
  ['quiet, on a terminal', new MemoryTerminal(), { quiet: true }],
  ['quiet and verbose, in a pipe', new MemoryStream(), { quiet: true, verbose: true }],
  ['TERM=dumb', new MemoryTerminal(), { env: { TERM: 'dumb' } }],
])('%s: nothing', async (_name, stream, more) => {
  const progress = await createProgress(options(stream, more));
  progress.update('a');
  progress.stop();
  expect(stream.text).toBe('');
});
