import type { Command } from 'commander';
import type { Context } from '../../cli/context.ts';
import { mapConcurrently } from '../../util/concurrency.ts';
import { EXIT } from '../../util/errors.ts';
import { SIGNAL_EXIT } from '../../util/host.ts';
import type { DomainCheck } from './check-domain.ts';
import { normalizeDomain } from './domain-name.ts';
import { printDomainStatuses } from './print-status.ts';
import { DOMAIN_STATUS_HELP } from './status-help.ts';
import { type DomainStatusFlags, type DomainStatusOptions, readStatusOptions } from './status-options.ts';

/** Registers `domain status` under the noun `domain`. */
export function registerDomainStatus(parent: Command, context: () => Context, run = runDomainStatus): void {
  parent
    .command('status')
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
    .action((domains: string[], flags: DomainStatusFlags) => run(domains, flags, context()));
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
    const { pollDomains } = await import('./await-domains.ts');
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
  const { queryDns } = await import('./query-dns.ts');
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
