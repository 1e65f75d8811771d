import { expect, it, onTestFinished } from 'vitest';
import { createTestClock } from '../../helpers/test-clock.ts';
import { type LockedOptions, startLockedService } from './locked-service.ts';
import { LIFETIME_MS, TIMEOUT_MS, VirtualMachine } from './virtual-machine.ts';

const SECOND_MS = 1_000;

async function machineWith(options: Omit<LockedOptions, 'clock'>): Promise<VirtualMachine> {
  const clock = createTestClock();
  const service = await startLockedService({ clock, ...options });
  const machine = new VirtualMachine(clock, service);
  onTestFinished(async () => {
    await service.close();
    machine.remove();
  });
  return machine;
}

it('waits for the timeout and the lifetime of a request in which its process was killed', async () => {
  const machine = await machineWith({ workMs: () => 3 * SECOND_MS });
  const list = ['usr_1', 'usr_2'];
  await machine.import({ list, killAtMs: SECOND_MS });
  const ended = await machine.import({ list });
  await machine.settle();
  expect({ waits: ended?.waits, recovered: ended?.state.counts().recovered }).toEqual({
    waits: [TIMEOUT_MS + LIFETIME_MS - SECOND_MS],
    recovered: 2,
  });
  expect(machine.twice()).toEqual([]);
});

it('names a person whom a probe may have added whose process was killed', async () => {
  const machine = await machineWith({ lock: [0, 170 * SECOND_MS] });
  const list = ['usr_1', 'usr_2'];
  await machine.import({ list, killAtMs: 155 * SECOND_MS });
  const ended = await machine.import({ list });
  await machine.settle();
  expect({ named: ended?.named, twice: machine.twice() }).toEqual({ named: ['usr_2'], twice: ['usr_2'] });
});
