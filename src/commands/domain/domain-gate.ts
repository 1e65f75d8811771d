import { type Doubts, describeDoubts, doubtHead, fieldsIn, unknownFields } from '../../client/gate.ts';
import type { DomainResponse } from '../../client/operations.ts';
import { EXIT, OrgadmError } from '../../util/errors.ts';
import { canonicalName } from './domain-name.ts';

/** The fields of a status (interface 2.4). */
const DOCUMENTED = ['domain', 'verified', 'verification', 'cnameTarget', 'misconfigured'];

/** The fields of a verification record. */
const OF_RECORD = ['type', 'domain', 'value', 'reason'];

/**
 * Doubts a response that is not just the status of this domain. Its reasons concern everyone, its fields only a check.
 *
 * @param ignored paths and values (setting wire.domain.ignore)
 */
export function doubtStatus(
  { status, httpStatus, headers }: DomainResponse,
  domain: string,
  ignored: readonly string[],
): Doubts {
  const named = status.domain ?? undefined;
  const name =
    named === undefined
      ? [`the response about ${domain} does not name the domain`]
      : canonicalName(named) === domain
        ? []
        : [`orgadm asked for ${domain}, but the service returned ${named}`];
  const others = Object.entries(status).filter(([key]) => !DOCUMENTED.includes(key));
  // A record may say that its own verification has failed.
  const ofRecords = (status.verification ?? []).flatMap((record) =>
    Object.entries(record)
      .filter(([key]) => !OF_RECORD.includes(key))
      .map(([key, value]) => [`verification.${key}`, value] as const),
  );
  const fields = [...others, ...ofRecords].flatMap(([path, value]) => fieldsIn(value, path));
  const head = doubtHead(httpStatus, headers).map((reason) => `${reason} in the response about ${domain}`);
  return { reasons: [...name, ...head], fields: unknownFields(fields, ignored) };
}

/** Returns the error of a check that would pass if orgadm understood the response about a domain. Exit code 1. */
export function notUnderstood(
  domain: string,
  doubts: Doubts,
  ignored: readonly string[],
  profile: string,
): OrgadmError {
  const setting = { name: 'wire.domain.ignore', ignored, meaning: 'the domain is not ready', profile };
  const { message, hint } = describeDoubts(doubts, setting);
  return new OrgadmError('invalid-response', EXIT.failure, `cannot tell whether ${domain} is ready: ${message}`, {
    hint,
  });
}
