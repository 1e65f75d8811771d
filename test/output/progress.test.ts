import { describe, expect, it } from 'vitest';
import { createOutput } from '../../src/output/output.ts';
import { createProgress, type ProgressOptions } from '../../src/output/progress.ts';
import { text } from '../../src/output/text.ts';
import { createTestClock } from '../helpers/test-clock.ts';
import { MemoryStream, MemoryTerminal, screen } from './memory-terminal.ts';

function options(stderr: MemoryStream, more: Partial<ProgressOptions> = {}): ProgressOptions {
  return { stderr, env: { TERM: 'xterm' }, quiet: false, clock: createTestClock(), ...more };
}

describe('on a terminal', () => {
  it('shows a line, and leaves nothing behind', async () => {
    const terminal = new MemoryTerminal();
    const progress = await createProgress(options(terminal));
    expect(terminal.text).toBe('');
    progress.update(() => '12 of 30 rows');
    expect(screen(terminal.text)).toEqual(['⠋ 12 of 30 rows']);
    progress.stop();
    expect(screen(terminal.text)).toEqual(['']);
  });

  it('shows text without control characters, cut to the terminal', async () => {
    const terminal = new MemoryTerminal(12);
    const progress = await createProgress(options(terminal));
    progress.update(() => '\x1b[31msent\nto 監査 and others');
    expect(screen(terminal.text)).toEqual(['⠋ sent to…']);
    progress.stop();
  });

  it.each([0, undefined])(
    'assumes 80 columns on a terminal of %s columns, and follows when it is resized',
    async (columns) => {
      const terminal = new MemoryTerminal(80);
      Object.assign(terminal, { columns });
      const progress = await createProgress(options(terminal));
      progress.update(() => 'x'.repeat(100));
      expect(screen(terminal.text)).toEqual([`⠋ ${'x'.repeat(76)}…`]);
      terminal.columns = 12;
      progress.update(() => 'x'.repeat(100));
      progress.stop();
      expect(terminal.columns).toBe(12);
      expect(terminal.writes).toBeLessThan(30);
    },
  );

  it('stays apart from notes and data', async () => {
    const terminal = new MemoryTerminal();
    const streams = { stdout: terminal, stderr: terminal };
    const output = await createOutput({ streams, env: {}, format: 'table', color: false, quiet: false, rawCsv: false });
    const progress = await createProgress(options(terminal));
    output.attach(progress);
    progress.update(() => 'sending');
    output.note('note');
    output.warn('careful');
    await output.print(text`data`);
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
});

describe('without a terminal', () => {
  it('logs a plain line every 30 seconds, and none before', async () => {
    const stream = new MemoryStream();
    const clock = createTestClock();
    const progress = await createProgress(options(stream, { clock }));
    const seconds = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at);
    for (const second of seconds(0, 65)) {
      progress.update(() => `${second} rows\x1b[2J`);
      await clock.advance(1000);
    }
    progress.stop();
    expect(stream.text).toBe('30 rows\n60 rows\n');
  });

  it('logs its own text if there is one', async () => {
    const stream = new MemoryStream();
    const clock = createTestClock();
    const progress = await createProgress(options(stream, { clock }));
    await clock.advance(30_000);
    progress.update(
      () => '12 of 30 rows · 2s left',
      () => '12 of 30 rows, 2s left',
    );
    expect(stream.text).toBe('12 of 30 rows, 2s left\n');
  });
});

describe('a disabled progress line', () => {
  it.each([
    ['quiet, on a terminal', new MemoryTerminal(), { quiet: true }],
    ['quiet, in a pipe', new MemoryStream(), { quiet: true }],
  ])('is not drawn with %s', async (_name, stream, more) => {
    const progress = await createProgress(options(stream, more));
    progress.update(() => 'a');
    progress.stop();
    expect(stream.text).toBe('');
  });
});
