import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** Young memory of this size, in bytes, is enough: twice as much saves no time, half as much costs a tenth. */
const YOUNG_GENERATION_LIMIT = 16 * 1024 * 1024;

/**
 * Keeps the memory of this process small, on every version of Node. For the process itself, once. It
 * takes a tenth of Node's start, and garbage is collected more often from then on: a short run is better off without.
 *
 * Lists and answers pass through piece by piece, so little is in use at any time, and what the engine takes beyond that
 * holds garbage only: up to three times what is in use of old memory, and of young memory up to 48 MB on Node 20 and
 * 190 MB on Node 24.
 */
export function limitHeap(): void {
  setFlagsFromString('--heap-growing-percent=50');
  // The largest size of young memory is fixed by now, but its growth can be ended.
  const observer = new PerformanceObserver(() => {
    if (youngGenerationBytes() < YOUNG_GENERATION_LIMIT) return;
    setFlagsFromString('--semi-space-growth-factor=1');
    observer.disconnect();
  });
  observer.observe({ entryTypes: ['gc'] });
}

function youngGenerationBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? 0;
}
