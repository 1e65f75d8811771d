import type { Readable } from 'node:stream';
import type { Clock } from '../../util/clock.ts';

/** Over each window of this much time spent waiting on the service, ... */
export const THROUGHPUT_WINDOW_MS = 30_000;
/** ... so many bytes a second must come over the wire. A slow list passes, a drip of a byte a second does not. */
export const MIN_BYTES_PER_SECOND = 64;

export interface ThroughputLimits {
  clock: Clock;
  /** How long the service may take for the next byte, in milliseconds. */
  idleMs: number;
  /** Makes the error of a body that is too slow; `why` completes "The answer stopped: ...". */
  onStall: (reason: 'idle' | 'drip') => Error;
}

/**
 * The chunks of a body as they come over the wire. Only time spent waiting on the service counts, so that a slow
 * consumer harms nobody. Leaving the loop early destroys the source.
 */
export async function* withMinThroughput(
  source: Readable,
  { clock, idleMs, onStall }: ThroughputLimits,
): AsyncGenerator<Buffer> {
  const chunks: AsyncIterator<Buffer> = source[Symbol.asyncIterator]();
  let waitedMs = 0;
  let bytes = 0;
  try {
    for (;;) {
      const began = clock.now();
      const disarm = clock.after(idleMs, () => source.destroy(onStall('idle')));
      const next = await chunks.next().finally(disarm);
      if (next.done) return;
      waitedMs += clock.now() - began;
      bytes += next.value.length;
      if (waitedMs >= THROUGHPUT_WINDOW_MS) {
        if (bytes < (waitedMs / 1_000) * MIN_BYTES_PER_SECOND) throw onStall('drip');
        waitedMs = 0;
        bytes = 0;
      }
      yield next.value;
    }
  } finally {
    source.destroy();
  }
}
