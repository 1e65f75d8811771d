import { type Command, Option } from 'commander';
import { misconfiguredState } from '../../client/gates.ts';
import type { GlobalFlags } from '../../config/settings.ts';
import type { Block } from '../../output/blocks.ts';
import { listOf, printRecords } from '../../output/print-records.ts';
import type { Cell, Table } from '../../output/table.ts';
import { style, text } from '../../output/text.ts';
import { EXIT, UsageError } from '../../util/errors.ts';
import { SIGNAL_EXIT } from '../../util/host.ts';
import { parseDuration } from '../../util/units.ts';
import type { Context } from '../command-context.ts';
import { rejectOutputFormat, setHelpText } from '../define-command.ts';
import {
  CONCURRENT_DOMAINS,
  checkDomain,
  type DomainCheck,
  domainState,
  explainDomainError,
  otherDomain,
  passesCheck,
  queryDns,
} from './check-domain.ts';
import { expectedRecords, mapConcurrently, normalizeDomain, parseServerAddress, renderZone } from './dns-records.ts';
import type { RecordCheck } from './domain-output.ts';

/** The options of `domain status`. */
interface DomainStatusFlags {
  exitStatus?: boolean;
  zone?: boolean;
  wait?: boolean;
  /** Milliseconds. */
  interval?: number;
  /** Milliseconds. */
  deadline?: number;
  checkDns?: boolean;
  /** As node:dns accepts it. */
  resolver?: string;
}

/** Registers `domain status`. */
export function registerDomainStatus(command: Command, context: () => Context): void {
  setHelpText(command, HELP);
  command
    .argument('<domain...>', 'domain names')
    .option('--wait', 'wait until every domain is ready; exit 7 if the deadline passes first')
    .option(
      '--interval <duration>',
      'with --wait: first pause between checks, growing to a minute (default: 10s)',
      parseInterval,
    )
    .option('--deadline <duration>', 'with --wait: longest wait (default: 15m)', (written) =>
      parseDuration(written, '--deadline'),
    )
    .option('--check-dns', 'look up the DNS records and show whether they exist')
    .option(
      '--resolver <address>',
      'with --check-dns: name server to query, ip or ip:port (default: those of the system)',
      (written) => parseServerAddress(written, '--resolver'),
    )
    .option('--exit-status', 'exit 7 unless every domain is ready')
    .addOption(new Option('--zone', 'print the records as zone-file lines').conflicts(['wait', 'checkDns']))
    .action((domains: string[], flags: DomainStatusFlags) => runDomainStatus(domains, flags, context()));
}

/** Requests the status of each domain and prints the known states; a failure does not affect the other domains. */
async function runDomainStatus(names: readonly string[], flags: DomainStatusFlags, context: Context): Promise<void> {
  checkFlags(flags, context.flags);
  const domains = [...new Set(names.map(normalizeDomain))];
  const { checks, signal } = await checkDomains(domains, flags, context);
  const [only] = checks;
  if (checks.length === 1 && only?.error !== undefined && only.status === undefined) throw only.error;

  // After an interruption, orgadm does not wait for name servers either.
  const results =
    signal === undefined && flags.checkDns ? await queryDns(checks, flags.resolver, context.host.clock) : checks;
  if (flags.zone) await printZone(results, context);
  else await printDomainStatuses(results, context);
  for (const check of results) warnAboutDomain(check, context);
  if (signal !== undefined) {
    context.exitCode = SIGNAL_EXIT[signal];
    return;
  }
  const failed = results.find(({ status, error }) => status === undefined && error !== undefined)?.error;
  const mustBeReady = flags.exitStatus || flags.wait;
  const notReady = mustBeReady && !results.every(passesCheck) ? EXIT.checkFailed : EXIT.ok;
  context.exitCode = failed?.exitCode ?? notReady;
}

async function checkDomains(domains: readonly string[], flags: DomainStatusFlags, context: Context) {
  if (flags.wait) {
    const { pollDomains } = await import('./poll-domains.ts');
    const { interval = DEFAULT_INTERVAL_MS, deadline = DEFAULT_DEADLINE_MS } = flags;
    return pollDomains(domains, { intervalMs: interval, deadlineMs: deadline }, context);
  }
  const client = await context.service();
  const checks = await mapConcurrently(domains, CONCURRENT_DOMAINS, async (domain): Promise<DomainCheck> => {
    const check = await checkDomain(client, domain);
    return check.error === undefined ? check : { ...check, error: explainDomainError(check.error, domain) };
  });
  return { checks, signal: undefined };
}

function warnAboutDomain(check: DomainCheck, { output }: Context): void {
  const { domain, error } = check;
  const other = otherDomain(check);
  if (other !== undefined) output.warn(text`orgadm asked for ${domain}, but the service returned ${other}`);
  if (check.status === undefined && error !== undefined) {
    const hint = error.hint === undefined ? text`` : text`\n  ${error.hint}`;
    output.warn(text`${domain}: ${error.message}${hint}`);
  }
}

const HELP = `
States:
  ready          verified, and not reported as misconfigured
  not-verified   the service has not verified it
  misconfigured  verified, but reported as misconfigured
  unknown        the service could not reach the hosting provider: not ready yet
  error          the request failed

orgadm shows the DNS records that the service lists and, until the domain is
ready, the recommended CNAME.

--wait retries failures that may pass (429, 5xx, no connection) and stops at once
for others (400, 401, 403, 404). If the service accepted the key earlier and then
returns 401, orgadm retries for a minute, because services do that when they
cannot look up keys. If the service never responds, orgadm gives up after a
minute. It checks one last time at the deadline. On SIGINT, SIGTERM, or SIGHUP,
orgadm prints the last known states. A second signal stops it at once.

--check-dns shows the state of each TXT, CNAME, A, and AAAA record:
  found      as expected
  missing    no record of this type with this name
  different  has another value, which orgadm shows
  unchecked  another type, or no value to compare with
  unknown    no usable response from the name server
Name servers may cache an earlier response for a while.

Examples:
  $ orgadm domain status trust.example.com --sandbox
  $ orgadm domain status trust.example.com pending.example.com --json --sandbox
  $ orgadm domain status pending.example.com --zone --sandbox
  $ orgadm domain status pending.example.com --check-dns --sandbox
  $ orgadm domain status soon.example.com --wait --interval 1s --sandbox
  $ orgadm domain status trust.example.com --exit-status --sandbox && echo ready

JSON output: an array with the service's response for each domain, plus "state"
and "ready" (boolean). If one of several domains fails, its element is
{"domain","state","ready","error":{"code","message","hint","status"}}.
--check-dns adds "dns":[{"type","name","expected","state","actual","error"}],
where "actual" lists the values found and "error" says why a state is unknown.
`;

const DEFAULT_INTERVAL_MS = 10_000;
const DEFAULT_DEADLINE_MS = 15 * 60_000;
const MIN_INTERVAL_MS = 1_000;

function parseInterval(written: string): number {
  const ms = parseDuration(written, '--interval');
  if (ms < MIN_INTERVAL_MS) throw new UsageError(`--interval must be at least 1s (got ${written})`);
  return ms;
}

/** Checks the combinations that Commander does not. Throws UsageError. */
function checkFlags(flags: DomainStatusFlags, globalFlags: GlobalFlags): void {
  if (flags.zone) rejectOutputFormat(globalFlags, '--zone');
  for (const flag of ['interval', 'deadline'] as const) {
    if (flags[flag] !== undefined && !flags.wait) throw new UsageError(`--${flag} requires --wait`);
  }
  if (flags.resolver !== undefined && !flags.checkDns) throw new UsageError('--resolver requires --check-dns');
}

async function printZone(checks: readonly DomainCheck[], { output }: Context): Promise<void> {
  for (const { domain, status } of checks)
    if (status !== undefined) await output.writeRendered(renderZone(domain, status));
}

async function printDomainStatuses(checks: readonly DomainCheck[], { output }: Context): Promise<void> {
  const people = () => [domainTable(checks), ...recordBlocks(checks)];
  await printRecords({ ...listOf(checks.map(statusDocument), []), csv: () => domainCsvRows(checks), people }, output);
}

/** The response about a domain with its state and readiness, or the error. */
function statusDocument(check: DomainCheck): object {
  const { domain, status, ready, error, dns } = check;
  const state = domainState(check);
  if (status !== undefined) return { ...status, state, ready, ...(dns === undefined ? {} : { dns }) };
  if (error === undefined) return { domain, state, ready };
  const { code, message, hint, status: httpStatus, requestId } = error;
  return { domain, state, ready, error: { code, message, hint, status: httpStatus, requestId } };
}

function domainTable(checks: readonly DomainCheck[]): Table {
  const yesNo = (value: boolean) => (value ? style.ok('yes') : style.error('no'));
  return {
    columns: [
      { header: 'domain', wrap: true },
      'ready',
      'verified',
      { header: 'misconfigured', min: 13 },
      { header: 'CNAME target', wrap: true },
    ],
    rows: checks.map(({ domain, status, ready }) => {
      if (status === undefined) return [domain, style.error('failed')];
      const misconfigured = misconfiguredState(status) ?? '';
      return [
        domain,
        yesNo(ready),
        yesNo(status.verified),
        misconfigured === 'no'
          ? style.ok(misconfigured)
          : misconfigured === 'yes'
            ? style.error(misconfigured)
            : misconfigured,
        status.cnameTarget ?? '',
      ];
    }),
  };
}

/** Values in csv, spelled like those of the other boolean columns. */
const MACHINE_VALUES: Readonly<Record<string, string>> = { yes: 'true', no: 'false', unknown: 'unknown' };

function domainCsvRows(checks: readonly DomainCheck[]): unknown[][] {
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

/** Returns the DNS records that the domains need, and their state if they were checked. */
function recordBlocks(checks: readonly DomainCheck[]): Block[] {
  const isChecked = checks.some(({ dns }) => dns !== undefined);
  const rows = checks.flatMap(recordRows);
  if (rows.length === 0) return [];
  const columns = [
    'type',
    // People copy these.
    { header: 'name', min: Number.POSITIVE_INFINITY },
    { header: 'value', min: Number.POSITIVE_INFINITY },
    'reason',
    ...(isChecked ? [{ header: 'in the DNS', wrap: true }] : []),
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
    return [type, name, value, listed[at]?.reason ?? '', ...(check === undefined ? [] : [checkCell(check)])];
  });
}

function checkCell({ state, actual, error }: RecordCheck): Cell {
  const mark = state === 'found' ? style.ok : state === 'unchecked' || state === 'unknown' ? style.warn : style.error;
  const detail = error ?? (state === 'different' ? actual.join(', ') : '');
  return mark(detail === '' ? state : text`${state}: ${detail}`);
}
