import type { ServiceClient } from '../client/service-client.ts';
import type { GlobalFlags } from '../config/global-flags.ts';
import type { Settings } from '../config/settings.ts';
import type { Output } from '../output/output.ts';
import type { Progress } from '../output/progress.ts';
import type { Host } from '../util/host.ts';
/** What a command may touch. Settings and service are made when first asked for: help needs neither. */
export interface Context {
  readonly host: Host;
  readonly flags: GlobalFlags;
  readonly output: Output;
  settings(): Promise<Settings>;
  /**
   * The service that the settings name, or the embedded one under `--sandbox`.
   *
   * @throws OrgadmError (exit 4) without a key, UsageError without a base URL, in this order
   */
  service(): Promise<ServiceClient>;
  /** A spinner on standard error where that is a terminal, else nothing. Stopped by `close`. */
  progress(): Promise<Progress>;
  /** The exit code of a command that ends without an error; 0 unless the command sets it. */
  exitCode: number;
  /** Gives back what was opened: connections, the embedded service, the spinner. */
  close(): Promise<void>;
}
