import type { Finding, ListedFinding } from '../../client/list-findings.ts';
import { EXIT, OrgadmError } from '../../util/errors.ts';

const MEBIBYTE = 1024 * 1024;
/** Upper bound on the text of the findings that orgadm holds: parsed and printed, they take up to four times its memory. */
const MAX_HELD_MIB = 64;
/**
 * Added to the text of each finding, in characters: even `{}` takes memory, and keys that no other finding has take more.
 */
const FINDING_SIZE = 200;

/**
 * Reads all findings into memory.
 *
 * @throws ServiceError (`response-too-large`) for more than 64 MiB of findings, before they use up the memory
 */
export async function holdFindings(groups: AsyncIterable<readonly ListedFinding[]>): Promise<Finding[]> {
  const held: Finding[] = [];
  let size = 0;
  for await (const group of groups) {
    for (const finding of group) {
      size += finding.text.length + FINDING_SIZE;
      if (size > MAX_HELD_MIB * MEBIBYTE) throw tooLarge();
      held.push(finding.value);
    }
  }
  return held;
}

function tooLarge(): Error {
  return new OrgadmError('response-too-large', EXIT.failure, `there are more than ${MAX_HELD_MIB} MiB of findings`, {
    hint: 'Request fewer findings.',
  });
}
