import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { InFlightFile } from '../../../src/import/journal/in-flight.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';

const LIFETIME_MS = 120_000;
const TIMEOUT_MS = 30_000;
/** How long others have to wait if the file cannot be read. */
const IF_UNREADABLE_MS = 999_999;
const at = (ms: number) => ({ clock: 1_800_000_000_000 + ms, uptime: 5_000_000 + ms });

function filePath(): string {
  return join(temporaryFolder(), 'in-flight.json');
}

/** Sends a request at 0, and leaves the file as a process that died then. */
function dieInFlight(path: string): void {
  InFlightFile.read(path, 'first').extend(TIMEOUT_MS + LIFETIME_MS, at(0));
}

describe('InFlightFile', () => {
  it('makes other runs wait until the requests of a process that died are over, and not the same run', async () => {
    const path = filePath();
    dieInFlight(path);
    const other = InFlightFile.read(path, 'second').othersMs(LIFETIME_MS, at(20_000));
    expect(other).toBeGreaterThanOrEqual(TIMEOUT_MS + LIFETIME_MS - 20_000);
    // It is written up to ten seconds ahead.
    expect(other).toBeLessThanOrEqual(TIMEOUT_MS + LIFETIME_MS - 20_000 + 10_000);
    expect(InFlightFile.read(path, 'first').othersMs(LIFETIME_MS, at(0))).toBe(0);
  });

  it('always names a moment that is late enough, with few writes', async () => {
    const path = filePath();
    const file = InFlightFile.read(path, 'first');
    const contents = new Set<string>();
    for (let ms = 0; ms <= 30_000; ms += 500) {
      file.extend(TIMEOUT_MS + LIFETIME_MS, at(ms));
      contents.add(readFileSync(path, 'utf8'));
      const others = InFlightFile.read(path, 'second').othersMs(LIFETIME_MS, at(ms));
      expect(others).toBeGreaterThanOrEqual(TIMEOUT_MS + LIFETIME_MS);
    }
    expect(contents.size).toBeLessThanOrEqual(4);
  });

  it.each([
    ['clock', { clock: at(0).clock, uptime: at(20_000).uptime }],
    ['uptime', { clock: at(20_000).clock, uptime: at(0).uptime }],
    ['clock, after a restart,', { clock: at(-3_600_000).clock, uptime: 20_000 }, { ...at(40_000), uptime: 40_000 }],
  ])(
    'names a moment that is late enough if the %s lags behind and is correct later',
    (_name, lagging, correct = at(40_000)) => {
      const path = filePath();
      const file = InFlightFile.read(path, 'first');
      file.extend(TIMEOUT_MS + LIFETIME_MS, at(0));
      // A request is sent 20 seconds later.
      file.extend(TIMEOUT_MS + LIFETIME_MS, lagging);
      const others = InFlightFile.read(path, 'second').othersMs(LIFETIME_MS, correct);
      expect(others).toBeGreaterThanOrEqual(TIMEOUT_MS + LIFETIME_MS - 20_000);
    },
  );

  it('makes nobody wait for a run whose requests are all over', async () => {
    const path = filePath();
    const file = InFlightFile.read(path, 'first');
    file.extend(TIMEOUT_MS + LIFETIME_MS, at(0));
    await file.settle(0, at(1_000));
    expect(InFlightFile.read(path, 'second').othersMs(LIFETIME_MS, at(1_000))).toBe(0);
  });

  it('keeps the runs of others that may still be running', async () => {
    const path = filePath();
    dieInFlight(path);
    const second = InFlightFile.read(path, 'second');
    second.extend(TIMEOUT_MS + LIFETIME_MS, at(100_000));
    await second.settle(LIFETIME_MS, at(110_000));
    expect(InFlightFile.read(path, 'third').othersMs(IF_UNREADABLE_MS, at(110_000))).toBe(LIFETIME_MS);
    const first = InFlightFile.read(path, 'second').othersMs(IF_UNREADABLE_MS, at(110_000));
    expect(first).toBeGreaterThanOrEqual(40_000);
    expect(first).toBeLessThanOrEqual(50_000);
  });

  it('removes the runs of others that are over, and itself with the last one', async () => {
    const path = filePath();
    dieInFlight(path);
    const second = InFlightFile.read(path, 'second');
    second.extend(TIMEOUT_MS + LIFETIME_MS, at(170_000));
    expect(Object.keys(JSON.parse(readFileSync(path, 'utf8')).runs)).toEqual(['second']);
    await second.settle(0, at(171_000));
    expect(readdirSync(dirname(path))).toEqual([]);
  });

  it('makes the same run wait, too, if its journal was lost', async () => {
    const path = filePath();
    dieInFlight(path);
    const own = InFlightFile.read(path, 'first');
    own.waitForOwn(at(0));
    expect(own.othersMs(IF_UNREADABLE_MS, at(100_000))).toBeGreaterThanOrEqual(50_000);
    own.extend(TIMEOUT_MS + LIFETIME_MS, at(100_000));
    await own.settle(0, at(101_000));
    expect(InFlightFile.read(path, 'first').othersMs(IF_UNREADABLE_MS, at(101_000))).toBeGreaterThanOrEqual(49_000);
  });

  it.each([
    ['empty', ''],
    ['torn', '{"runs":{"first":{"at":{"clock":1'],
    ['JSON of something else', '[]'],
    ['without a time', '{"runs":{"first":{"at":{},"forMs":1}}}'],
    [
      'damaged in one of two runs',
      '{"runs":{"first":{"at":{"clock":0,"uptime":0},"forMs":1},"third":{"at":{},"forMs":1}}}',
    ],
  ])('makes every run wait as long as a request can take if it is %s', async (_, content) => {
    const path = filePath();
    writeFileSync(path, content);
    expect(InFlightFile.read(path, 'second').othersMs(TIMEOUT_MS + LIFETIME_MS, at(0))).toBe(TIMEOUT_MS + LIFETIME_MS);
  });

  it('makes every run wait as long as a request can take if the system cannot read it', () => {
    const path = filePath();
    mkdirSync(path);
    expect(InFlightFile.read(path, 'second').othersMs(TIMEOUT_MS + LIFETIME_MS, at(0))).toBe(TIMEOUT_MS + LIFETIME_MS);
  });

  it('removes the drafts that a crash left, and nothing else', async () => {
    const path = filePath();
    dieInFlight(path);
    const folder = dirname(path);
    writeFileSync(`${path}.${randomUUID()}.tmp`, '{"runs"');
    writeFileSync(`${path}.mine.tmp`, '');
    writeFileSync(join(folder, 'lock.tmp'), '');
    expect(InFlightFile.read(path, 'first').othersMs(LIFETIME_MS, at(0))).toBe(0);
    expect(readdirSync(folder).sort()).toEqual(['in-flight.json', 'in-flight.json.mine.tmp', 'lock.tmp']);
  });
});
