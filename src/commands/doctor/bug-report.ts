import { arch, platform, release } from 'node:os';
import { SETTING_NAMES, type SettingName } from '../../config/setting-table.ts';
import { resolveSetting, type SettingSources } from '../../config/settings.ts';
import type { Redact } from '../../output/redactor.ts';
import type { Environment } from '../../util/host.ts';
import { VERSION } from '../../util/package-version.ts';
import type { Context } from '../command-context.ts';

/** The facts that a bug report needs in addition to the checks, without API keys and passwords. */
export interface DoctorReport {
  versions: { orgadm: string; node: string; openssl: string; platform: string };
  /** The settings that are set, and where. */
  settings: { name: SettingName; value: string; from: string }[];
  /** The environment variables that orgadm reads. */
  environment: { name: string; value: string }[];
}

/**
 * Collects the versions, settings and variables for a bug report.
 *
 * @param clean removes API keys
 */
export async function createReport(context: Context, clean: Redact): Promise<DoctorReport> {
  const { node, openssl = 'unknown' } = process.versions;
  const settings = await settingsInUse(context);
  return {
    versions: { orgadm: VERSION, node, openssl, platform: clean(`${platform()} ${release()} ${arch()}`) },
    settings: settings.map(({ name, value, from }) => ({ name, value: clean(value), from: clean(from) })),
    environment: relevantVariables(context.host.env).map(({ name, value }) => ({ name, value: clean(value) })),
  };
}

async function settingsInUse(context: Context): Promise<DoctorReport['settings']> {
  let sources: SettingSources;
  try {
    sources = await context.sources();
  } catch {
    // The checks say what is wrong with them.
    return [];
  }
  return SETTING_NAMES.flatMap((name) => {
    try {
      const setting = resolveSetting(name, sources);
      if (setting === undefined || setting.from === 'default') return [];
      return [{ name, value: [setting.stored].flat().join(', '), from: setting.from }];
    } catch {
      return [{ name, value: 'not valid', from: 'see the checks' }];
    }
  });
}

const RELEVANT_VARIABLES =
  /^(?:ORGADM_\w+|https?_proxy|no_proxy|NODE_EXTRA_CA_CERTS|NODE_OPTIONS|XDG_(?:CONFIG|STATE)_HOME|NO_COLOR|FORCE_COLOR)$/i;

function relevantVariables(env: Environment): DoctorReport['environment'] {
  return Object.entries(env)
    .flatMap(([name, value]) =>
      value && RELEVANT_VARIABLES.test(name)
        ? [{ name, value: name === 'ORGADM_API_KEY' ? 'set' : publicValue(value) }]
        : [],
    )
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Removes the user name and the password from a URL. */
function publicValue(value: string): string {
  return value.replace(/^([a-z][a-z\d+.-]*:\/\/)?.*@/is, '$1***@');
}
