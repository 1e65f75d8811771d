import type { Command } from 'commander';
import type { OutputFormat } from '../../output/output.ts';
import { mapConcurrently } from '../../util/concurrency.ts';
import { parseDuration } from '../../util/duration.ts';
import { EXIT, UsageError } from '../../util/errors.ts';
import { SIGNAL_EXIT } from '../../util/host.ts';
import type { Context } from '../command-context.ts';
import type { DomainCheck } from './check-domain.ts';
import { parseServerAddress } from './dns-lookup.ts';
import { normalizeDomain } from './dns-records.ts';
import type { PollTimes } from './poll-domains.ts';
import { printDomainStatuses } from './print-status.ts';

/** Registers `domain status` under the noun `domain`. */
export function registerDomainStatus(command: Command, context: () => Context): void {
  command
    .description('Tell whether trust-portal domains are verified, and the DNS records they need.')
    .argument('<domain...>', 'domain names')
    .option('--wait', 'ask again until every domain is ready; exit 7 when the deadline comes first')
    .option('--interval <duration>', 'with --wait: the first pause, later ones grow to a minute (default: 10s)')
    .option('--deadline <duration>', 'with --wait: how long to wait (default: 15m)')
    .option('--check-dns', 'ask the DNS whether the records are there')
    .option('--resolver <address>', 'with --check-dns: the name server to ask, ip or ip:port (default: the system)')
    .option('--exit-status', 'exit 7 unless every domain is ready')
    .option('--zone', 'print the records as zone-file lines instead')
    .addHelpText('after', DOMAIN_STATUS_HELP)
    .action((domains: string[], flags: DomainStatusFlags) => runDomainStatus(domains, flags, context()));
}

/** Asks for each domain and prints what is known; a domain that failed does not keep the others back. */
export async function runDomainStatus(
  written: readonly string[],
  flags: DomainStatusFlags,
  context: Context,
): Promise<void> {
  const options = readStatusOptions(flags, context.output.format);
  const domains = [...new Set(written.map(normalizeDomain))];
  const { checks, signal } = await checkDomains(domains, options, context);
  const [only] = checks;
  if (checks.length === 1 && only?.error !== undefined && only.status === undefined) throw only.error;

  // Whoever interrupts does not want to wait for name servers either.
  const results = signal === undefined ? await withDnsChecks(checks, options, context) : checks;
  await printDomainStatuses(results, { zone: options.zone, many: written.length > 1 }, context.output);
  for (const check of results) warnAboutDomain(check, context);
  if (signal !== undefined) {
    context.exitCode = SIGNAL_EXIT[signal];
    return;
  }
  const failed = results.find(({ status, error }) => status === undefined && error !== undefined)?.error;
  const mustBeReady = options.exitStatus || options.wait !== undefined;
  const notReady = mustBeReady && results.some(({ ready }) => !ready) ? EXIT.notReady : EXIT.ok;
  context.exitCode = failed?.exitCode ?? notReady;
}

async function checkDomains(domains: readonly string[], { wait }: DomainStatusOptions, context: Context) {
  if (wait !== undefined) {
    const { pollDomains } = await import('./poll-domains.ts');
    return pollDomains(domains, wait, context);
  }
  const client = await context.service();
  const { checkDomain, explainDomainError } = await import('./check-domain.ts');
  const { CONCURRENT_DOMAINS } = await import('./poll-domains.ts');
  const checks = await mapConcurrently(domains, CONCURRENT_DOMAINS, async (domain): Promise<DomainCheck> => {
    const check = await checkDomain(client, domain);
    return check.error === undefined ? check : { ...check, error: explainDomainError(check.error, domain) };
  });
  return { checks, signal: undefined };
}

async function withDnsChecks(checks: readonly DomainCheck[], { dns }: DomainStatusOptions, { host }: Context) {
  if (dns === undefined) return checks;
  const { queryDns } = await import('./check-domain.ts');
  return queryDns(checks, dns.server, host.clock);
}

function warnAboutDomain({ domain, status, error }: DomainCheck, { output }: Context): void {
  if (status === undefined) {
    if (error !== undefined) output.warn([`${domain}: ${error.message}`, error.hint].filter(Boolean).join('\n'));
  } else if (status.domain != null && normalizedOrSame(status.domain) !== domain) {
    output.warn(`asked for ${domain}, the service answered for ${status.domain}`);
  }
}

function normalizedOrSame(name: string): string {
  try {
    return normalizeDomain(name);
  } catch {
    return name;
  }
}

/** What `domain status --help` says below the options. */
const DOMAIN_STATUS_HELP = `
A domain is ready when it is verified and not reported as misconfigured.
"unknown" means that the hosting provider could not be asked: not ready yet.

The DNS records to add are those that the service lists and, unless the domain is
ready, the recommended CNAME.

--wait continues through failures that may pass (429, 5xx, no connection) and
ends at once for those that do not (400, 401, 403, 404). A 401 after the key was
accepted in this run is retried for a minute, since services return it when they
cannot look keys up. A service that has not responded at all is given up after a
minute. The last look is taken at the deadline. SIGINT, SIGTERM and SIGHUP end it
with what is known by then.

--check-dns tells of each TXT, CNAME, A and AAAA record whether it is
  found      as it should be
  missing    nothing of its type at its name
  different  something else is there, which is shown
  unchecked  another type, or no value to compare with
  unknown    the name server gave no answer
Name servers may hold on to an earlier answer for a while.

Examples:
  $ orgadm domain status trust.example.com --sandbox
  $ orgadm domain status trust.example.com pending.example.com --json --sandbox
  $ orgadm domain status pending.example.com --zone --sandbox
  $ orgadm domain status pending.example.com --check-dns --sandbox
  $ orgadm domain status soon.example.com --wait --interval 1s --sandbox
  $ orgadm domain status trust.example.com --exit-status --sandbox && echo ready

JSON output: one domain gives an object, the service's answer plus "ready"
(boolean). Several give an array of these, with
{"domain","error":{"code","message","hint","status"}} for those that failed.
--check-dns adds "dns":[{"type","name","expected","state","actual","error"}],
"actual" being the values that are there, "error" why a state is not known.
`;

/** The flags of `domain status`, as they were typed. */
interface DomainStatusFlags {
  exitStatus?: boolean;
  zone?: boolean;
  wait?: boolean;
  interval?: string;
  deadline?: string;
  checkDns?: boolean;
  resolver?: string;
}

interface DomainStatusOptions {
  exitStatus: boolean;
  zone: boolean;
  wait: PollTimes | undefined;
  /** Undefined: the DNS is not asked; without a server the system's own is. */
  dns: { server: string | undefined } | undefined;
}

const DEFAULT_INTERVAL = '10s';
const DEFAULT_DEADLINE = '15m';
/** A service is not asked more often than this, in milliseconds. */
const LEAST_INTERVAL_MS = 1_000;

/** Reads the flags. Throws UsageError for those that do not go together and for values that cannot be read. */
function readStatusOptions(flags: DomainStatusFlags, format: OutputFormat): DomainStatusOptions {
  if (flags.zone && format !== 'table') throw new UsageError(`--zone and --output ${format} exclude each other`);
  for (const other of ['wait', 'checkDns'] as const) {
    if (flags.zone && flags[other]) {
      throw new UsageError(`--zone and ${other === 'wait' ? '--wait' : '--check-dns'} exclude each other`);
    }
  }
  for (const flag of ['interval', 'deadline'] as const) {
    if (flags[flag] !== undefined && !flags.wait) throw new UsageError(`--${flag} goes with --wait only`);
  }
  if (flags.resolver !== undefined && !flags.checkDns) throw new UsageError('--resolver goes with --check-dns only');
  return {
    exitStatus: flags.exitStatus ?? false,
    zone: flags.zone ?? false,
    wait: flags.wait ? readTimes(flags) : undefined,
    dns: flags.checkDns
      ? { server: flags.resolver === undefined ? undefined : parseServerAddress(flags.resolver, '--resolver') }
      : undefined,
  };
}

function readTimes({ interval = DEFAULT_INTERVAL, deadline = DEFAULT_DEADLINE }: DomainStatusFlags): PollTimes {
  const intervalMs = parseDuration(interval, '--interval');
  if (intervalMs < LEAST_INTERVAL_MS) throw new UsageError(`--interval: "${interval}" is too short, 1s is the least`);
  return { intervalMs, deadlineMs: parseDuration(deadline, '--deadline') };
}
