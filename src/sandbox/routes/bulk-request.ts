import { isJsonObject, unknownProperties } from '../../util/json-object.ts';
import { Refusal } from '../sandbox-response.ts';
import type { Variants } from '../variants.ts';
import { checkEntry, type EntryCheck } from './member-entry.ts';

/** What an entry's device label is called here. */
export function labelName(variants: Variants): string {
  return variants['label-name'] ?? 'deviceMgmtLabelId';
}

/**
 * Checks the body of a bulk request, entry by entry, in the order given.
 * @throws Refusal when it is no list, is too long, or, where one entry refuses the request, has a malformed one.
 */
export function readBulkRequest(body: unknown, variants: Variants): readonly EntryCheck[] {
  if (!isJsonObject(body)) throw new Refusal(400, ['the body must be an object']);
  const problems = [...listProblems(body.members), ...unknownProperties(body, ['members'])];
  if (problems.length > 0 || !Array.isArray(body.members)) throw new Refusal(400, problems);
  refuseLength(body.members.length, variants);
  const checks = body.members.map((value: unknown) => checkEntry(value, labelName(variants), variants.department));
  if (variants['entry-refusal'] === 'request') refuseMalformed(checks);
  return checks;
}

function listProblems(members: unknown): string[] {
  if (!Array.isArray(members)) return ['members must be an array'];
  return members.length === 0 ? ['members should not be empty'] : [];
}

function refuseLength(length: number, variants: Variants): void {
  const limit = variants['batch-limit'];
  if (length <= limit) return;
  const status = Number(variants['batch-limit-status']);
  const told = variants['batch-limit-words'] === 'number';
  throw new Refusal(status, told ? `Maximum ${limit} members allowed per bulk request` : 'request entity too large');
}

function refuseMalformed(checks: readonly EntryCheck[]): void {
  const problems = checks.flatMap((check, place) => {
    if ('entry' in check) return [];
    return check.problems.map((problem) => `members.${place}${problem.startsWith('must') ? ' ' : '.'}${problem}`);
  });
  if (problems.length > 0) throw new Refusal(400, problems);
}
