import { staleness } from '../../client/gates.ts';
import type { DomainResponse } from '../../client/operations.ts';
import { EXIT, OrgadmError } from '../../util/errors.ts';
import { STALE_HINT } from '../doubt-findings.ts';
import { doubtFields, fieldsOf, isIgnored, type UnknownField } from '../unknown-fields.ts';
import { canonicalName } from './domain-name.ts';

/*
 * A gate (--exit-status, --wait) passes only on a status that orgadm fully understands: that of the domain it asked for, without
 * a key that occurs twice, and with no field that orgadm does not know.
 */

/** The reasons why a response may not mean what it says about a domain. */
export interface StatusDoubts {
  /** Reasons that concern everyone: clauses, without a final period. */
  readonly contradictions: readonly string[];
  /** Whether it is an old response from a cache, so that a later one may mean what it says. */
  readonly isStale: boolean;
  /** Fields that may mean anything; only a gate depends on them. */
  readonly unknown: readonly UnknownField[];
}

const OK = 200;

/** The fields of a status (interface 2.4). */
const DOCUMENTED = ['domain', 'verified', 'verification', 'cnameTarget', 'misconfigured'];

/** The fields of a verification record. */
const OF_RECORD = ['type', 'domain', 'value', 'reason'];

/** Fields of other responses that say whether the request failed. A status that says so is an error already. */
const OUTCOMES = ['success', 'error', 'errors'];

/**
 * Doubts a response that is not just the status of this domain.
 *
 * @param ignored fields and their values (setting wire.domain.ignore)
 */
export function doubtStatus(
  { status, httpStatus, headers }: DomainResponse,
  domain: string,
  ignored: readonly string[],
): StatusDoubts {
  const named = status.domain ?? undefined;
  const stale = staleness(headers);
  const contradictions = [
    ...(named === undefined ? [`the response about ${domain} does not name the domain`] : []),
    ...(named !== undefined && canonicalName(named) !== domain
      ? [`orgadm asked for ${domain}, but the service returned ${named}`]
      : []),
    // Non-Authoritative Information has been changed on its way, and others may have another meaning.
    ...(httpStatus === OK ? [] : [`the response about ${domain} has the status ${httpStatus}`]),
    ...(stale === undefined ? [] : [`${stale} about ${domain}`]),
  ];
  const others = Object.entries(status).filter(([path, value]) => !isKnown(path, value));
  // A record may say that its own verification has failed.
  const ofRecords = (status.verification ?? []).flatMap((record) =>
    Object.entries(record)
      .filter(([name]) => !OF_RECORD.includes(name))
      .map(([name, value]): [string, unknown] => [`verification.${name}`, value]),
  );
  const unknown = [...others, ...ofRecords].flatMap(([path, value]) => [...fieldsOf(path, value)]);
  return {
    contradictions,
    isStale: stale !== undefined,
    unknown: unknown.filter((field) => !isIgnored(field, ignored)),
  };
}

function isKnown(path: string, value: unknown): boolean {
  if (path === 'status' || path === 'statusCode') return typeof value === 'number';
  return DOCUMENTED.includes(path) || OUTCOMES.includes(path);
}

/** Whether a gate does not pass by the status. */
export function isDoubtful({ contradictions, unknown }: StatusDoubts): boolean {
  return contradictions.length + unknown.length > 0;
}

/** Returns the error of a gate that would pass if orgadm understood the response about a domain. Exit code 1. */
export function notUnderstood(
  domain: string,
  { contradictions, isStale, unknown }: StatusDoubts,
  ignored: readonly string[],
  profile: string,
): OrgadmError {
  const doubt = doubtFields(unknown, {
    ...{ name: 'wire.domain.ignore', ignored, profile },
    meaning: 'the domain is not ready',
  });
  const reasons = [...contradictions, ...(doubt === undefined ? [] : [doubt.message])].join('; ');
  return new OrgadmError('invalid-response', EXIT.failure, `cannot tell whether ${domain} is ready: ${reasons}`, {
    hint: doubt?.hint ?? (isStale ? STALE_HINT : '--debug shows the response.'),
  });
}
