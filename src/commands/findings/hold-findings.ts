import { getHeapStatistics } from 'node:v8';
import { serviceFailure } from '../../client/http/service-error.ts';
import type { ListedFinding } from '../../client/list-findings.ts';

const MEBIBYTE = 1024 * 1024;
/** Upper bound on the size of the findings that orgadm holds, in characters of their text ... */
const MAX_HELD = 1024 * MEBIBYTE;
/** ... and on their share of the heap: parsed and printed, they take up to four times the memory of their text. */
const HEAP_SHARE = 1 / 4;
/**
 * Added to the text of each finding, in characters: even `{}` takes memory, and keys that no other finding has take more.
 */
const FINDING_SIZE = 200;

/** Returns how many characters of findings orgadm holds: 1 GiB, or a quarter of the heap if that is less. */
function maxHeld(): number {
  return Math.min(MAX_HELD, Math.floor(getHeapStatistics().heap_size_limit * HEAP_SHARE));
}

/**
 * Reads all findings into memory.
 *
 * @param keep returns the part of a finding to hold
 * @param max upper bound in characters
 * @throws ServiceError (`response-too-large`) for more findings than that, before they use up the memory
 */
export async function holdFindings<Part>(
  groups: AsyncIterable<readonly ListedFinding[]>,
  keep: (finding: ListedFinding) => Part,
  max = maxHeld(),
): Promise<Part[]> {
  const held: Part[] = [];
  let size = 0;
  for await (const group of groups) {
    for (const finding of group) {
      size += finding.text.length + FINDING_SIZE;
      if (size > max) throw tooLarge(max);
      held.push(keep(finding));
    }
  }
  return held;
}

function tooLarge(max: number): Error {
  return serviceFailure('response-too-large', `there are more than ${Math.floor(max / MEBIBYTE)} MiB of findings`, {
    processed: 'maybe',
    hint: 'Request fewer findings. With -o ndjson or -o csv, and without --sort, orgadm prints a list of any size as it arrives.',
  });
}
