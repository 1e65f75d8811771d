import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { EXIT, OrgadmError, UsageError } from '../../errors.ts';
import type { ServiceClient } from '../../service/client.ts';
import { cleanDomain } from './name.ts';
import { type Checked, printStatuses } from './print-status.ts';

export interface DomainStatusOptions {
  exitStatus?: boolean;
  zone?: boolean;
}

/** Domains that are asked for at the same time. */
const CONCURRENCY = 4;

const HELP = `
A domain is ready when it is verified and not reported as misconfigured. "unknown" means that the hosting provider
could not be asked: not ready yet.

Examples:
  $ orgadm domain status trust.example.com --sandbox
  $ orgadm domain status trust.example.com pending.example.com --json --sandbox
  $ orgadm domain status pending.example.com --zone --sandbox
  $ orgadm domain status trust.example.com --exit-status --quiet --sandbox && echo ready

JSON output: one domain gives an object, the service's answer plus "ready" (boolean). Several give an array of these,
with {"domain","error":{"code","message","hint","status"}} for those that failed.
`;

/** Registers `domain status` under the noun `domain`. */
export function registerDomainStatus(parent: Command, context: () => Context, run = runDomainStatus): void {
  parent
    .command('status')
    .description('Tell whether trust-portal domains are verified, and the DNS records they need.')
    .argument('<domain...>', 'domain names')
    .option('--exit-status', 'exit 7 unless every domain is ready')
    .option('--zone', 'print the records as zone-file lines instead')
    .addHelpText('after', HELP)
    .action((domains: string[], options: DomainStatusOptions) => run(domains, options, context()));
}

/** Asks for each domain and prints what is known; a domain that failed does not keep the others back. */
export async function runDomainStatus(
  written: readonly string[],
  options: DomainStatusOptions,
  context: Context,
): Promise<void> {
  if (options.zone && context.output.format !== 'table') {
    throw new UsageError(`--zone and --output ${context.output.format} exclude each other`);
  }
  const domains = [...new Set(written.map(cleanDomain))];
  const checked = await checkAll(await context.service(), domains);
  const [only] = checked;
  if (checked.length === 1 && only?.error !== undefined) throw only.error;

  await printStatuses(checked, options.zone ?? false, context.output);
  for (const { domain, status, error } of checked) {
    if (error !== undefined) context.output.warn(`${domain}: ${error.message}`);
    if (status?.domain != null && cleanedOrSame(status.domain) !== domain) {
      context.output.warn(`asked for ${domain}, the service answered for ${status.domain}`);
    }
  }
  const failed = checked.find(({ error }) => error !== undefined)?.error;
  const notReady = options.exitStatus && checked.some(({ ready }) => !ready) ? EXIT.notReady : EXIT.ok;
  context.exitCode = failed?.exitCode ?? notReady;
}

async function checkAll(client: ServiceClient, domains: readonly string[]): Promise<Checked[]> {
  const { domainStatus, isReady } = await import('../../service/domains.ts');
  const results: Checked[] = [];
  const queue = domains.entries();
  const worker = async () => {
    for (const [at, domain] of queue) {
      try {
        const status = await domainStatus(client, domain);
        results[at] = { domain, status, ready: isReady(status) };
      } catch (error) {
        if (!(error instanceof OrgadmError)) throw error;
        results[at] = { domain, ready: false, error: explain(error, domain) };
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(CONCURRENCY, domains.length) }, worker));
  return results;
}

/** A plain 500 is what services answer for a domain that they do not hold: say so, for the words alone do not. */
function explain(error: OrgadmError, domain: string): OrgadmError {
  if (error.status !== 500) return error;
  return new OrgadmError(error.code, error.exitCode, error.message, {
    hint: `Either the service does not hold ${domain}, or its hosting provider is out of reach. Check the name, or try again later.`,
    status: error.status,
    requestId: error.requestId,
    cause: error,
  });
}

function cleanedOrSame(name: string): string {
  try {
    return cleanDomain(name);
  } catch {
    return name;
  }
}
