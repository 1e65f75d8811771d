import type { Output } from '../../output/output.ts';
import type { Style } from '../../output/style.ts';
import type { Cell } from '../../output/table.ts';
import type { DomainCheck } from './check-domain.ts';
import type { RecordCheck } from './check-records.ts';
import { expectedRecords } from './expected-records.ts';

/** Prints the DNS records that the domains need, and what the DNS holds of them where it was asked. */
export async function printDnsRecords(checks: readonly DomainCheck[], output: Output): Promise<void> {
  const isChecked = checks.some(({ dns }) => dns !== undefined);
  const rows = checks.flatMap((check) => (isChecked ? checkedRows(check, output.style) : plainRows(check)));
  if (rows.length === 0) return;
  await output.write(isChecked ? '\nDNS records:\n\n' : '\nDNS records to add:\n\n');
  const headers = ['type', 'name', 'value', 'reason', ...(isChecked ? ['in the DNS'] : [])];
  // Never cut: these are there to be copied.
  await output.table(
    headers.map((header) => ({ header })),
    rows,
    { cut: false },
  );
}

/** The listed records, and the recommended CNAME unless the domain is ready: then there is nothing to add. */
function plainRows({ domain, status, ready }: DomainCheck): Cell[][] {
  if (status === undefined) return [];
  const listed = status.verification ?? [];
  const records = expectedRecords(domain, status);
  return (ready ? records.slice(0, listed.length) : records).map(({ type, name, value }, at) => [
    type,
    name,
    value ?? '',
    listed[at]?.reason ?? '',
  ]);
}

/** The checks are of the listed records, in their order, and of the recommended CNAME after them. */
function checkedRows({ status, dns = [] }: DomainCheck, style: Style): Cell[][] {
  return dns.map((check, at) => {
    const reason = status?.verification?.[at]?.reason ?? '';
    return [check.type, check.name, check.expected ?? '', reason, renderCheck(check, style)];
  });
}

function renderCheck({ state, actual, error }: RecordCheck, style: Style): Cell {
  const paint = state === 'found' ? style.ok : state === 'unchecked' || state === 'unknown' ? style.warn : style.error;
  const detail = error ?? (state === 'different' ? actual.join(', ') : '');
  return { text: detail === '' ? state : `${state}: ${detail}`, style: paint };
}
