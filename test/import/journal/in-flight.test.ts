import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { InFlightFile } from '../../../src/import/journal/in-flight.ts';
import type { JournalRecord } from '../../../src/import/journal/records.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';

const LIFETIME_MS = 120_000;
const TIMEOUT_MS = 30_000;
/** How long a request can take: after that, it is over whatever happened. */
const LONGEST_MS = TIMEOUT_MS + LIFETIME_MS;
/** How long others have to wait if the file is damaged. */
const IF_DAMAGED_MS = 999_999;
const at = (ms: number) => ({ clock: 1_800_000_000_000 + ms, uptime: 5_000_000 + ms, awake: 4_000_000 + ms });

function filePath(): string {
  return join(temporaryFolder(), 'in-flight');
}

/** Sends two requests, and leaves the file as a process that died with the second one in flight. */
async function dieInFlight(path: string): Promise<void> {
  const file = await InFlightFile.read(path, 'first');
  await file.add(1, LONGEST_MS, at(0));
  await file.add(2, LONGEST_MS, at(10_000));
}

function intent(request: number, sentAt: ReturnType<typeof at>): JournalRecord {
  return { t: 'intent', request, rows: '1', at: sentAt, timeoutMs: TIMEOUT_MS, lifetimeMs: LIFETIME_MS };
}

async function othersMs(path: string, runId: string, ms: number): Promise<number> {
  return (await InFlightFile.read(path, runId)).othersMs(IF_DAMAGED_MS, at(ms));
}

describe('InFlightFile', () => {
  it('makes other runs wait until the last request of a process that died is over', async () => {
    const path = filePath();
    await dieInFlight(path);
    expect(await othersMs(path, 'second', 20_000)).toBe(LONGEST_MS - 10_000);
    expect(await othersMs(path, 'second', 10_000 + LONGEST_MS)).toBe(0);
  });

  it.each([
    ['has the last request', [intent(1, at(0)), intent(2, at(10_000))], 0],
    ['has lost the last request', [intent(1, at(0))], LONGEST_MS - 10_000],
    ['has lost every request', [], LONGEST_MS - 10_000],
    ['has another request with the number of the last one', [intent(2, at(9_999))], LONGEST_MS - 10_000],
    [
      'has a request before a restart with the time of the last one',
      [intent(2, { ...at(10_000), uptime: 1 })],
      140_000,
    ],
  ])('makes the same run wait only if its journal has lost records: it %s', async (_, records, waitMs) => {
    const path = filePath();
    await dieInFlight(path);
    const own = await InFlightFile.read(path, 'first');
    for (const record of records) own.compare(record);
    expect(own.othersMs(IF_DAMAGED_MS, at(20_000))).toBe(waitMs);
  });

  it('makes the same run wait as long after another process that only waited', async () => {
    const path = filePath();
    await dieInFlight(path);
    await (await InFlightFile.read(path, 'first')).settle(0, at(15_000));
    expect(await othersMs(path, 'first', 20_000)).toBe(LONGEST_MS - 10_000);
  });

  it('compares a journal also with a file that a process closed', async () => {
    const path = filePath();
    const file = await InFlightFile.read(path, 'first');
    await file.add(1, LONGEST_MS, at(0));
    await file.settle(LIFETIME_MS, at(5_000));
    const own = await InFlightFile.read(path, 'first');
    expect(own.othersMs(IF_DAMAGED_MS, at(5_000))).toBe(LIFETIME_MS);
    own.compare(intent(1, at(0)));
    expect(own.othersMs(IF_DAMAGED_MS, at(5_000))).toBe(0);
  });

  it('keeps the moment of an earlier request with a longer lifetime', async () => {
    const path = filePath();
    await (await InFlightFile.read(path, 'first')).add(1, 3_600_000, at(0));
    await (await InFlightFile.read(path, 'first')).add(2, LONGEST_MS, at(60_000));
    expect(await othersMs(path, 'second', 60_000)).toBe(3_540_000);
  });

  it('makes nobody wait for a run whose requests are all over', async () => {
    const path = filePath();
    const file = await InFlightFile.read(path, 'first');
    await file.add(1, LONGEST_MS, at(0));
    await file.settle(0, at(1_000));
    expect(await othersMs(path, 'second', 1_000)).toBe(0);
    expect(readdirSync(dirname(path))).toEqual([]);
  });

  it('keeps the runs of others that may still be running', async () => {
    const path = filePath();
    await dieInFlight(path);
    const second = await InFlightFile.read(path, 'second');
    await second.add(1, LONGEST_MS, at(100_000));
    await second.settle(0, at(110_000));
    expect(await othersMs(path, 'third', 110_000)).toBe(50_000);
  });

  it('removes the runs of others that are over, and itself with the last one', async () => {
    const path = filePath();
    await dieInFlight(path);
    const second = await InFlightFile.read(path, 'second');
    await second.add(1, LONGEST_MS, at(170_000));
    expect(readFileSync(path, 'utf8')).not.toContain('"first"');
    await second.settle(0, at(171_000));
    expect(readdirSync(dirname(path))).toEqual([]);
  });

  it.each<[string, (content: string) => string]>([
    ['empty of lines', () => '\n'],
    ['of an earlier format', () => '{"runs":{"first":{"at":{"clock":1,"uptime":1},"forMs":1}}}\n'],
    ['damaged in its first line', (content) => content.replace('"request":1', '"request":3')],
    ['damaged in its last line', (content) => content.replace('"request":2', '"request":3')],
    ['torn in its last line', (content) => content.slice(0, -20)],
  ])('makes every run wait as long as a request can take if it is %s', async (_, damage) => {
    const path = filePath();
    await dieInFlight(path);
    writeFileSync(path, damage(readFileSync(path, 'utf8')));
    expect(await othersMs(path, 'second', 20_000)).toBe(IF_DAMAGED_MS);
    expect(await othersMs(path, 'first', 20_000)).toBe(IF_DAMAGED_MS);
  });

  it('is replaced as a whole by the first request of a process, also after a crash in the middle of that', async () => {
    const path = filePath();
    await dieInFlight(path);
    writeFileSync(`${path}.new`, '{"run":"sec');
    expect(await othersMs(path, 'second', 20_000)).toBe(LONGEST_MS - 10_000);
    const second = await InFlightFile.read(path, 'second');
    await second.add(1, LONGEST_MS, at(20_000));
    expect(readdirSync(dirname(path))).toEqual(['in-flight']);
    expect(await othersMs(path, 'third', 20_000)).toBe(LONGEST_MS);
  });

  it('names the last of several requests that are sent at once', async () => {
    const path = filePath();
    const file = await InFlightFile.read(path, 'first');
    await Promise.all([1, 2, 3, 4].map((request) => file.add(request, LONGEST_MS, at(0))));
    const own = await InFlightFile.read(path, 'first');
    own.compare(intent(3, at(0)));
    expect(own.othersMs(IF_DAMAGED_MS, at(0))).toBe(LONGEST_MS);
    own.compare(intent(4, at(0)));
    expect(own.othersMs(IF_DAMAGED_MS, at(0))).toBe(0);
  });
});
