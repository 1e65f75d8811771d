import type { Readable } from 'node:stream';
import type { Clock } from '../../util/clock.ts';

/** Over each window of this much time spent waiting on the service, ... */
export const PACE_WINDOW_MS = 30_000;
/** ... so many bytes a second must come over the wire. A slow list passes, a drip of a byte a second does not. */
export const PACE_FLOOR_BYTES_PER_SECOND = 64;

export interface PaceLimits {
  clock: Clock;
  /** How long the service may take for the next byte, in milliseconds. */
  idleMs: number;
  /** Makes the error of a body that is too slow; `why` completes "The answer stopped: ...". */
  tooSlow: (why: 'idle' | 'drip') => Error;
}

/**
 * The chunks of a body as they come over the wire. Only time spent waiting on the service counts, so that a slow
 * consumer harms nobody. Leaving the loop early destroys the source.
 */
export async function* paced(source: Readable, { clock, idleMs, tooSlow }: PaceLimits): AsyncGenerator<Buffer> {
  const chunks: AsyncIterator<Buffer> = source[Symbol.asyncIterator]();
  let waitedMs = 0;
  let bytes = 0;
  try {
    for (;;) {
      const began = clock.now();
      const disarm = clock.after(idleMs, () => source.destroy(tooSlow('idle')));
      const next = await chunks.next().finally(disarm);
      if (next.done) return;
      waitedMs += clock.now() - began;
      bytes += next.value.length;
      if (waitedMs >= PACE_WINDOW_MS) {
        if (bytes < (waitedMs / 1_000) * PACE_FLOOR_BYTES_PER_SECOND) throw tooSlow('drip');
        waitedMs = 0;
        bytes = 0;
      }
      yield next.value;
    }
  } finally {
    source.destroy();
  }
}
