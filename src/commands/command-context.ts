import type { ServiceClient } from '../client/service-client.ts';
import type { GlobalFlags, SettingSources } from '../config/setting-sources.ts';
import type { Settings } from '../config/settings.ts';
import type { Output } from '../output/output.ts';
import type { Progress } from '../output/progress.ts';
import type { Host } from '../util/host.ts';

/** What a command works with. Configuration, settings and service are each resolved once, on first use. */
export interface Context {
  readonly host: Host;
  readonly flags: GlobalFlags;
  readonly output: Output;
  /** The profiles, and the one of this run, which need not exist. */
  sources(): Promise<SettingSources>;
  /** The settings of this run. Throws UsageError for a profile that does not exist and for a bad value. */
  settings(): Promise<Settings>;
  /**
   * The service that the settings name, or the embedded one under `--sandbox`.
   *
   * @throws OrgadmError (exit 4) without a key, UsageError without a base URL, in this order
   */
  service(): Promise<ServiceClient>;
  /** A spinner on standard error if that is a terminal, otherwise one that shows nothing. Stopped by `close`. */
  progress(): Promise<Progress>;
  /** The exit code of a command that ends without an error; 0 unless the command sets it. */
  exitCode: number;
  /** Closes connections, the embedded service and the spinner. */
  close(): Promise<void>;
}
