import { misconfiguredState } from '../../client/domain-status.ts';
import type { Output } from '../../output/output.ts';
import type { Style } from '../../output/style.ts';
import type { Cell } from '../../output/table.ts';
import { printRecords } from '../print-record.ts';
import { type DomainCheck, domainState } from './check-domain.ts';
import { expectedRecords, type RecordCheck, renderZone } from './dns-records.ts';

/** Prints the domains in the output's format, or their records as zone-file lines. */
export async function printDomainStatuses(
  checks: readonly DomainCheck[],
  { zone }: { zone: boolean },
  output: Output,
): Promise<void> {
  if (zone) {
    for (const { domain, status } of checks) if (status !== undefined) await output.write(renderZone(domain, status));
    return;
  }
  const documents = checks.map(statusDocument);
  const table = async () => {
    await printTable(checks, output);
    await printDnsRecords(checks, output);
  };
  await printRecords({ json: documents, ndjson: documents, csv: csvRows(checks), table }, output);
}

/** What the service sent about a domain, with what follows from it; or the error. */
function statusDocument(check: DomainCheck): object {
  const { domain, status, ready, error, dns } = check;
  const state = domainState(check);
  if (status !== undefined) return { ...status, state, ready, ...(dns === undefined ? {} : { dns }) };
  if (error === undefined) return { domain, state, ready };
  const { code, message, hint, status: httpStatus, requestId } = error;
  return { domain, state, ready, error: { code, message, hint, status: httpStatus, requestId } };
}

async function printTable(checks: readonly DomainCheck[], output: Output): Promise<void> {
  const { ok, error } = output.style;
  const yesNo = (value: boolean) => ({ text: value ? 'yes' : 'no', style: value ? ok : error });
  await output.table(
    [
      { header: 'domain', wrap: true },
      { header: 'ready' },
      { header: 'verified' },
      { header: 'misconfigured', min: 13 },
      { header: 'CNAME target', wrap: true },
    ],
    checks.map(({ domain, status, ready }) => {
      if (status === undefined) return [domain, { text: 'failed', style: error }, '', '', ''];
      const misconfigured = misconfiguredState(status) ?? '';
      const style = misconfigured === 'no' ? ok : misconfigured === 'yes' ? error : undefined;
      return [domain, yesNo(ready), yesNo(status.verified), { text: misconfigured, style }, status.cnameTarget ?? ''];
    }),
  );
}

/** Values in csv, spelled like those of the other boolean columns. */
const MACHINE_VALUES: Readonly<Record<string, string>> = { yes: 'true', no: 'false', unknown: 'unknown' };

function csvRows(checks: readonly DomainCheck[]): unknown[][] {
  const withDns = checks.some(({ dns }) => dns !== undefined);
  const names = ['domain', 'state', 'ready', 'verified', 'misconfigured', 'cnameTarget', 'error'];
  const rows = checks.map((check) => {
    const { domain, status, ready, error, dns } = check;
    const misconfigured = status === undefined ? undefined : MACHINE_VALUES[misconfiguredState(status) ?? ''];
    const failure = status === undefined ? error?.message : undefined;
    const cells = [domain, domainState(check), ready, status?.verified, misconfigured, status?.cnameTarget, failure];
    return withDns ? [...cells, countStates(dns ?? [])] : cells;
  });
  return [withDns ? [...names, 'dns'] : names, ...rows];
}

/** Renders `1 found, 2 missing`, in the order in which the states occur. */
function countStates(checks: readonly RecordCheck[]): string {
  const counts = new Map<string, number>();
  for (const { state } of checks) counts.set(state, (counts.get(state) ?? 0) + 1);
  return [...counts].map(([state, count]) => `${count} ${state}`).join(', ');
}

/** Prints the DNS records that the domains need, and their state if they were checked. */
async function printDnsRecords(checks: readonly DomainCheck[], output: Output): Promise<void> {
  const isChecked = checks.some(({ dns }) => dns !== undefined);
  const rows = checks.flatMap((check) => (isChecked ? checkedRows(check, output.style) : plainRows(check)));
  if (rows.length === 0) return;
  await output.write(isChecked ? '\nDNS records:\n\n' : '\nDNS records to add:\n\n');
  const headers = ['type', 'name', 'value', 'reason', ...(isChecked ? ['in the DNS'] : [])];
  // Never truncated: people copy these.
  await output.table(
    headers.map((header) => ({ header, wrap: header === 'in the DNS' })),
    rows,
    { cut: false },
  );
}

/** Returns rows for the listed records, and for the recommended CNAME unless the domain is ready. */
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

/** Returns rows for the checks: those of the listed records in their order, then that of the recommended CNAME. */
function checkedRows({ status, dns = [] }: DomainCheck, style: Style): Cell[][] {
  return dns.map((check, at) => {
    const reason = status?.verification?.[at]?.reason ?? '';
    return [check.type, check.name, check.expected ?? '', reason, renderCheck(check, style)];
  });
}

function renderCheck({ state, actual, error }: RecordCheck, style: Style): Cell {
  const color = state === 'found' ? style.ok : state === 'unchecked' || state === 'unknown' ? style.warn : style.error;
  const detail = error ?? (state === 'different' ? actual.join(', ') : '');
  return { text: detail === '' ? state : `${state}: ${detail}`, style: color };
}
