import { misconfiguredState } from '../../client/success.ts';
import type { Block } from '../../output/blocks.ts';
import type { Output } from '../../output/output.ts';
import { listOf, printRecords, type RecordColumn } from '../../output/print-records.ts';
import { quoteAll } from '../../output/sanitize.ts';
import type { Cell, Table } from '../../output/table.ts';
import { joinText, style, text } from '../../output/text.ts';
import { noteForPeople } from '../command-context.ts';
import { type DomainCheck, domainState } from './check-domain.ts';
import { expectedRecords, type RecordCheck } from './dns-records.ts';

/** Prints the known state of each domain, and the DNS records that it needs. */
export async function printDomainStatuses(checks: readonly DomainCheck[], output: Output): Promise<void> {
  const { csv } = listOf(checks, domainColumns(checks));
  const people = () => [domainTable(checks), ...recordBlocks(checks)];
  await printRecords({ ...listOf(checks.map(statusDocument), []), csv, people }, output);
}

/** The response about a domain with its state and readiness, or the error. */
function statusDocument(check: DomainCheck): object {
  const { domain, status, ready, error, dns } = check;
  const state = domainState(check);
  const looked = dns?.filter((record) => record !== undefined);
  if (status !== undefined) return { ...status, state, ready, ...(dns === undefined ? {} : { dns: looked }) };
  if (error === undefined) return { domain, state, ready };
  const { code, message, hint, status: httpStatus, requestId } = error;
  return { domain, state, ready, error: { code, message, hint, status: httpStatus, requestId } };
}

const MISCONFIGURED_CELLS = { yes: style.error('yes'), no: style.ok('no'), unknown: text`unknown` } as const;

function domainTable(checks: readonly DomainCheck[]): Table {
  const yesNo = (value: boolean) => (value ? style.ok('yes') : style.error('no'));
  return {
    columns: ['domain', 'ready', 'verified', 'misconfigured', { header: 'CNAME target', isWhole: true }],
    rows: checks.map(({ domain, status, ready }) => {
      if (status === undefined) return [domain, style.error('failed')];
      const misconfigured = misconfiguredState(status);
      const cell = misconfigured === undefined ? '' : MISCONFIGURED_CELLS[misconfigured];
      return [domain, yesNo(ready), yesNo(status.verified), cell, status.cnameTarget ?? ''];
    }),
  };
}

/** Values in csv, spelled like those of the other boolean columns. */
const MACHINE_VALUES = { yes: 'true', no: 'false', unknown: 'unknown' } as const;

/** The columns in csv. */
function domainColumns(checks: readonly DomainCheck[]): RecordColumn<DomainCheck>[] {
  const misconfigured = ({ status }: DomainCheck) => {
    const state = status && misconfiguredState(status);
    return state && MACHINE_VALUES[state];
  };
  const isDnsChecked = checks.some(({ dns }) => dns !== undefined);
  return [
    { name: 'domain' },
    { name: 'state', value: domainState },
    { name: 'ready' },
    { name: 'verified', value: ({ status }) => status?.verified },
    { name: 'misconfigured', value: misconfigured },
    { name: 'cnameTarget', value: ({ status }) => status?.cnameTarget },
    { name: 'error', value: ({ status, error }) => (status === undefined ? error?.message : undefined) },
    ...(isDnsChecked ? [{ name: 'dns', value: ({ dns }: DomainCheck) => countStates(dns ?? []) }] : []),
  ];
}

/** Renders `1 found, 2 missing`, in the order in which the states occur. */
function countStates(checks: readonly (RecordCheck | undefined)[]): string {
  const counts = new Map<string, number>();
  for (const { state } of checks.filter((check) => check !== undefined))
    counts.set(state, (counts.get(state) ?? 0) + 1);
  return [...counts].map(([state, count]) => `${count} ${state}`).join(', ');
}

/** Returns the DNS records that the domains need, and their state if they were checked. */
function recordBlocks(checks: readonly DomainCheck[]): Block[] {
  const isChecked = checks.some(({ dns }) => dns !== undefined);
  const rows = checks.flatMap(recordRows);
  if (rows.length === 0) return [];
  const columns = [
    ...['type', 'name', 'reason'],
    ...(isChecked ? ['in the DNS'] : []),
    // People copy it.
    { header: 'value', isWhole: true },
  ];
  return [isChecked ? text`DNS records:` : text`DNS records to add:`, { columns, rows }];
}

/** Returns rows for the listed records, then for the recommended CNAME, unless the domain is ready and the DNS unchecked. */
function recordRows({ domain, status, ready, dns }: DomainCheck): Cell[][] {
  if (status === undefined) return [];
  const listed = status.verification ?? [];
  const records = expectedRecords(domain, status).slice(0, ready && dns === undefined ? listed.length : undefined);
  return records.map(({ type, name, value = '' }, at) => {
    const check = dns?.[at];
    return [type, name, listed[at]?.reason ?? '', ...(check === undefined ? [] : [checkCell(check)]), value];
  });
}

const STATE_STYLES = { found: style.ok, missing: style.error, different: style.error } as const;

function checkCell({ type, state, actual }: RecordCheck): Cell {
  // Quotation marks and spaces that are part of the text must show.
  const values = type === 'TXT' ? quoteAll(actual) : actual.join(', ');
  return STATE_STYLES[state](state === 'different' ? text`different: ${values}` : state);
}

/** Prints the DNS records that a domain needs as a message, for someone who adds them while orgadm waits. */
export function noteRecords({ domain, status, ready }: DomainCheck, output: Output): boolean {
  const records = status === undefined || ready ? [] : expectedRecords(domain, status);
  if (records.length === 0) return false;
  const lines = records.map(({ type, name, value = '' }) => text`\n  ${type}  ${name}  ${value}`);
  noteForPeople(text`DNS records to add for ${domain}:${joinText(lines, text``)}`, output);
  return true;
}
