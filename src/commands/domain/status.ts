import type { Command } from 'commander';
import type { Context } from '../../cli/context.ts';
import { concurrently } from '../../util/concurrency.ts';
import { EXIT } from '../../util/errors.ts';
import { SIGNAL_EXIT } from '../../util/host.ts';
import type { DomainLook } from './check-domain.ts';
import { cleanDomain } from './domain-name.ts';
import { printStatuses } from './print-status.ts';
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
  const domains = [...new Set(written.map(cleanDomain))];
  const { looks, signal } = await lookAtAll(domains, options, context);
  const [only] = looks;
  if (looks.length === 1 && only?.error !== undefined && only.status === undefined) throw only.error;

  // Whoever interrupts does not want to wait for name servers either.
  const told = signal === undefined ? await withDns(looks, options, context) : looks;
  await printStatuses(told, { zone: options.zone, many: written.length > 1 }, context.output);
  for (const look of told) warn(look, context);
  if (signal !== undefined) {
    context.exitCode = SIGNAL_EXIT[signal];
    return;
  }
  const failed = told.find(({ status, error }) => status === undefined && error !== undefined)?.error;
  const mustBeReady = options.exitStatus || options.wait !== undefined;
  const notReady = mustBeReady && told.some(({ ready }) => !ready) ? EXIT.notReady : EXIT.ok;
  context.exitCode = failed?.exitCode ?? notReady;
}

async function lookAtAll(domains: readonly string[], { wait }: DomainStatusOptions, context: Context) {
  if (wait !== undefined) {
    const { awaitDomains } = await import('./await-domains.ts');
    return awaitDomains(domains, wait, context);
  }
  const client = await context.service();
  const { lookAt, explained } = await import('./check-domain.ts');
  const { DOMAINS_AT_ONCE } = await import('./poll-domains.ts');
  const looks = await concurrently(domains, DOMAINS_AT_ONCE, async (domain): Promise<DomainLook> => {
    const look = await lookAt(client, domain);
    return look.error === undefined ? look : { ...look, error: explained(look.error, domain) };
  });
  return { looks, signal: undefined };
}

async function withDns(looks: readonly DomainLook[], { dns }: DomainStatusOptions, { host }: Context) {
  if (dns === undefined) return looks;
  const { askDns } = await import('./query-dns.ts');
  return askDns(looks, dns.server, host.clock);
}

function warn({ domain, status, error }: DomainLook, { output }: Context): void {
  if (status === undefined) {
    if (error !== undefined) output.warn([`${domain}: ${error.message}`, error.hint].filter(Boolean).join('\n'));
  } else if (status.domain != null && cleanedOrSame(status.domain) !== domain) {
    output.warn(`asked for ${domain}, the service answered for ${status.domain}`);
  }
}

function cleanedOrSame(name: string): string {
  try {
    return cleanDomain(name);
  } catch {
    return name;
  }
}
