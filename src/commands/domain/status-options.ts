import type { OutputFormat } from '../../output/output.ts';
import { parseDuration } from '../../util/duration.ts';
import { UsageError } from '../../util/errors.ts';
import type { PollTimes } from './poll-domains.ts';
import { parseServerAddress } from './server-address.ts';

/** The flags of `domain status`, as they were typed. */
export interface DomainStatusFlags {
  exitStatus?: boolean;
  zone?: boolean;
  wait?: boolean;
  interval?: string;
  deadline?: string;
  checkDns?: boolean;
  resolver?: string;
}

export interface DomainStatusOptions {
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
export function readStatusOptions(flags: DomainStatusFlags, format: OutputFormat): DomainStatusOptions {
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
