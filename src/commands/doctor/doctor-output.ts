import type { SettingName } from '../../config/setting-table.ts';

/** Every check, in the order in which they run. */
type CheckName = 'node' | 'state-directory' | 'runs' | 'configuration' | 'base-url' | 'api-key' | 'service' | 'clock';

/** The result of a check. */
export interface CheckResult {
  check: CheckName;
  /** `skipped`: not checked, for the reason in `detail`. */
  state: 'ok' | 'warning' | 'failed' | 'skipped';
  /** What was found. */
  detail: string;
  /** What to do; null if there is nothing to do. */
  fix: string | null;
}

/** The facts that a bug report needs in addition to the checks, without API keys and passwords. */
export interface DoctorReport {
  versions: { orgadm: string; node: string; openssl: string; platform: string };
  /** The settings that are set, and where. */
  settings: { name: SettingName; value: string; from: string }[];
  /** The environment variables that orgadm reads. */
  environment: { name: string; value: string }[];
}

/** The results of all checks. */
export interface Diagnosis {
  /** The number of checks with each state. */
  summary: Record<CheckResult['state'], number>;
  checks: CheckResult[];
  /** With --report. */
  report: DoctorReport | null;
}
