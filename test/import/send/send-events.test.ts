import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { EventChannel } from '../../../src/import/send/send-events.ts';

describe('EventChannel', () => {
  it('returns the events in their order, and ends after the last one', async () => {
    const channel = new EventChannel<number>();
    const pushed = Promise.all([1, 2, 3].map((event) => channel.push(event)));
    channel.close();
    const events: number[] = [];
    for await (const event of channel) events.push(event);
    await pushed;
    expect(events).toEqual([1, 2, 3]);
  });

  it('holds a producer back until the consumer has processed its event', async () => {
    const channel = new EventChannel<number>();
    const steps: string[] = [];
    const produce = async () => {
      for (const event of [1, 2]) {
        await channel.push(event);
        steps.push(`pushed ${event}`);
      }
      channel.close();
    };
    const producing = produce();
    for await (const event of channel) {
      await turn();
      steps.push(`processed ${event}`);
    }
    await producing;
    expect(steps).toEqual(['processed 1', 'pushed 1', 'processed 2', 'pushed 2']);
  });

  it('releases all producers when the consumer leaves', async () => {
    const channel = new EventChannel<number>();
    const pushed = [channel.push(1), channel.push(2)];
    for await (const _ of channel) break;
    await Promise.all(pushed);
    await channel.push(3);
  });
});
