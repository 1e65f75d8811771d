import { isDoubtful } from '../../client/gate.ts';
import { hintText } from '../../output/error-text.ts';
import { text } from '../../output/text.ts';
import { EXIT, UsageError } from '../../util/errors.ts';
import { SIGNAL_EXIT } from '../../util/host.ts';
import { parseDuration } from '../../util/units.ts';
import { type Context, profileOption } from '../command-context.ts';
import type { HelpText, OrgadmCommand } from '../orgadm-command.ts';
import { CONCURRENT_DOMAINS, checkDomain, type DomainCheck, explainDomainError, queryDns } from './check-domain.ts';
import { notUnderstood } from './domain-gate.ts';
import { normalizeDomain } from './domain-name.ts';
import { mapConcurrently } from './map-concurrently.ts';
import { printDomainStatuses } from './print-status.ts';

/** The options of `domain status`. */
interface DomainStatusFlags {
  exitStatus?: boolean;
  wait?: boolean;
  /** Milliseconds. */
  interval?: number;
  /** Milliseconds. */
  deadline?: number;
  checkDns?: boolean;
}

/** Registers `domain status`. */
export default function registerDomainStatus(command: OrgadmCommand, context: () => Context): void {
  command.helpText = HELP;
  command
    .argument('<domain...>', 'domain names')
    .option('--wait', 'wait until every domain is ready; exit 7 if the deadline passes first')
    .option('--interval <duration>', 'with --wait: pause between checks (default: 10s)', (written) =>
      parseWait(written, '--interval'),
    )
    .option('--deadline <duration>', 'with --wait: longest wait (default: 15m)', (written) =>
      parseWait(written, '--deadline'),
    )
    .option('--check-dns', 'look up the DNS records and show whether they exist')
    .option('--exit-status', 'exit 7 unless every domain is ready')
    .action((domains: string[], flags: DomainStatusFlags) => runDomainStatus(domains, flags, context()));
}

/** Requests the status of each domain and prints the known states; a failure does not affect the other domains. */
async function runDomainStatus(names: readonly string[], flags: DomainStatusFlags, context: Context): Promise<void> {
  checkFlags(flags);
  const domains = [...new Set(names.map(normalizeDomain))];
  const { checks, signal } = await checkDomains(domains, flags, context);
  const [only] = checks;
  if (checks.length === 1 && only?.error !== undefined && only.status === undefined) throw only.error;

  // After an interruption, orgadm does not wait for name servers either.
  const isDnsChecked = flags.checkDns === true && signal === undefined;
  const results = isDnsChecked ? await queryDns(checks, (message) => context.output.warn(message)) : checks;
  await printDomainStatuses(results, context.output);
  if (isDnsChecked && (await context.settings()).sandbox !== undefined)
    context.output.note("the sandbox's domains are not in the real DNS, so their records cannot be found there");
  const mustBeReady = flags.exitStatus === true || flags.wait === true;
  const rejected = mustBeReady && signal === undefined ? results.find(isReadyInDoubt) : undefined;
  // The error has its warnings.
  for (const check of results) if (check !== rejected) warnAboutDomain(check, context);
  const failures = results.flatMap(({ status, error }) => (status === undefined && error !== undefined ? [error] : []));
  for (const hint of new Set(failures.map((failure) => failure.hint)))
    if (hint !== undefined) context.output.note(hintText(hint));
  if (signal !== undefined) {
    context.exitCode = SIGNAL_EXIT[signal];
    return;
  }
  if (rejected?.doubts !== undefined)
    throw notUnderstood(
      rejected.domain,
      rejected.doubts,
      (await context.settings()).wire.domain.ignore,
      await profileOption(context),
    );
  const notReady = mustBeReady && !results.every(({ ready }) => ready) ? EXIT.checkFailed : EXIT.ok;
  context.exitCode = failures[0]?.exitCode ?? notReady;
}

/** Whether a domain is ready only if orgadm understands the response about it. */
function isReadyInDoubt({ ready, doubts }: DomainCheck): boolean {
  return ready && doubts !== undefined && isDoubtful(doubts);
}

async function checkDomains(domains: readonly string[], flags: DomainStatusFlags, context: Context) {
  const { ignore: ignored } = (await context.settings()).wire.domain;
  if (flags.wait) {
    const { pollDomains } = await import('./poll-domains.ts');
    const { interval = DEFAULT_INTERVAL_MS, deadline = DEFAULT_DEADLINE_MS } = flags;
    return pollDomains(domains, { intervalMs: interval, deadlineMs: deadline, ignored }, context);
  }
  const client = await context.service();
  const checks = await mapConcurrently(domains, CONCURRENT_DOMAINS, async (domain): Promise<DomainCheck> => {
    const check = await checkDomain(client, domain, { ignored });
    return check.error === undefined ? check : { ...check, error: explainDomainError(check.error, domain) };
  });
  return { checks, signal: undefined };
}

/** Warns about the failure of a domain, and about a response that contradicts itself or the request. */
function warnAboutDomain({ domain, error, status, doubts }: DomainCheck, { output }: Context): void {
  for (const contradiction of doubts?.reasons ?? []) output.warn(contradiction);
  if (status === undefined && error !== undefined) output.warn(text`${domain}: ${error.message}`);
}

const HELP: HelpText = {
  examples: [
    'orgadm domain status trust.example.com --sandbox',
    'orgadm domain status trust.example.com pending.example.com --json --sandbox',
    'orgadm domain status pending.example.com --check-dns --sandbox',
    'orgadm domain status soon.example.com --wait --interval 1s --sandbox',
    'orgadm domain status trust.example.com --exit-status --sandbox && echo ready',
  ],
  notes: [
    {
      heading: 'States',
      items: {
        ready: 'verified, and neither misconfigured nor unknown',
        'not-verified': 'the service has not verified it',
        misconfigured: 'verified, but reported as misconfigured',
        unknown: 'the service could not reach the hosting provider: not ready yet',
        error: 'the request failed',
      },
    },
    'With --exit-status or --wait, orgadm fails unless the response is complete and unambiguous (docs/ci.md).',
    '--wait prints the records to add, then checks again until every domain is ready or the deadline passes.',
    '--check-dns looks up TXT, CNAME, A, and AAAA records with the name servers of your system. found: exactly this ' +
      'text; different: another text; missing: no record of this type. The domains of the sandbox are not in the DNS.',
    'JSON output: an array with the status of each domain as the service sent it, with "state" and "ready".',
  ],
};

const DEFAULT_INTERVAL_MS = 10_000;
const DEFAULT_DEADLINE_MS = 15 * 60_000;
const MIN_DURATION_MS = 1_000;

/** Reads a duration of at least a second, in milliseconds. */
function parseWait(written: string, flag: string): number {
  const ms = parseDuration(written, flag);
  if (ms < MIN_DURATION_MS) throw new UsageError(`${flag} must be at least 1s (got ${written})`);
  return ms;
}

/** Checks the combinations that Commander does not. Throws UsageError. */
function checkFlags(flags: DomainStatusFlags): void {
  const { wait, interval, deadline } = flags;
  if (interval !== undefined && !wait) throw new UsageError('--interval requires --wait');
  if (deadline !== undefined && !wait) throw new UsageError('--deadline requires --wait');
}
