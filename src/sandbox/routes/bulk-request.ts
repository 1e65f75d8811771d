import { isJsonObject, unknownProperties } from '../../util/json-object.ts';
import { RequestRejection } from '../sandbox-response.ts';
import type { Variants } from '../variants.ts';
import { type EntryValidation, validateEntry } from './member-entry.ts';

/** What an entry's device label is called here. */
export function labelName(variants: Variants): string {
  return variants['label-name'] ?? 'deviceMgmtLabelId';
}

/**
 * Checks the body of a bulk request, entry by entry, in the order given.
 * @throws Refusal when it is no list, is too long, or, where one entry refuses the request, has a malformed one.
 */
export function readBulkRequest(body: unknown, variants: Variants): readonly EntryValidation[] {
  if (!isJsonObject(body)) throw new RequestRejection(400, ['the body must be an object']);
  const problems = [...listProblems(body.members), ...unknownProperties(body, ['members'])];
  if (problems.length > 0 || !Array.isArray(body.members)) throw new RequestRejection(400, problems);
  rejectLength(body.members.length, variants);
  const checks = body.members.map((value: unknown) => validateEntry(value, labelName(variants), variants.department));
  if (variants['entry-refusal'] === 'request') rejectMalformed(checks);
  return checks;
}

function listProblems(members: unknown): string[] {
  if (!Array.isArray(members)) return ['members must be an array'];
  return members.length === 0 ? ['members should not be empty'] : [];
}

function rejectLength(length: number, variants: Variants): void {
  const limit = variants['batch-limit'];
  if (length <= limit) return;
  const status = Number(variants['batch-limit-status']);
  const namesLimit = variants['batch-limit-words'] === 'number';
  throw new RequestRejection(
    status,
    namesLimit ? `Maximum ${limit} members allowed per bulk request` : 'request entity too large',
  );
}

function rejectMalformed(checks: readonly EntryValidation[]): void {
  const problems = checks.flatMap((check, index) => {
    if ('entry' in check) return [];
    return check.problems.map((problem) => `members.${index}${problem.startsWith('must') ? ' ' : '.'}${problem}`);
  });
  if (problems.length > 0) throw new RequestRejection(400, problems);
}
