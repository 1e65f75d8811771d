import { arch, platform, release } from 'node:os';
import { resolveSetting, type SettingSources } from '../../config/setting-sources.ts';
import { SETTING_NAMES, type SettingName } from '../../config/setting-table.ts';
import { cleanLine } from '../../output/sanitize.ts';
import type { Environment } from '../../util/host.ts';
import { VERSION } from '../../util/version.ts';
import type { Context } from '../command-context.ts';

/** What a bug report contains in addition to the checks, without API keys and passwords. */
export interface DoctorReport {
  versions: { orgadm: string; node: string; openssl: string; platform: string };
  /** The settings that are set, and where. Empty where the configuration cannot be read. */
  settings: { name: SettingName; value: string; from: string }[];
  /** The environment variables that matter to the tool. */
  environment: { name: string; value: string }[];
}

/** @param redact removes API keys from a text */
export async function createReport(context: Context, redact: (text: string) => string): Promise<DoctorReport> {
  const clean = (text: string) => cleanLine(redact(text));
  const { node, openssl } = process.versions;
  const settings = await effectiveSettings(context);
  return {
    versions: {
      orgadm: VERSION,
      node,
      openssl: openssl ?? 'unknown',
      platform: clean(`${platform()} ${release()} ${arch()}`),
    },
    settings: settings.map(({ name, value, from }) => ({ name, value: clean(value), from: clean(from) })),
    environment: environmentOf(context.host.env).map(({ name, value }) => ({ name, value: clean(value) })),
  };
}

async function effectiveSettings(context: Context): Promise<DoctorReport['settings']> {
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

/** Their values may hold secrets, so they are only reported as set. */
const SECRET_VARIABLES = /^ORGADM_API_KEY$/;
const RELEVANT_VARIABLES =
  /^(?:ORGADM_\w+|https?_proxy|no_proxy|NODE_EXTRA_CA_CERTS|NODE_OPTIONS|XDG_(?:CONFIG|STATE)_HOME|NO_COLOR|FORCE_COLOR)$/i;

function environmentOf(env: Environment): DoctorReport['environment'] {
  return Object.entries(env)
    .flatMap(([name, value]) =>
      value && RELEVANT_VARIABLES.test(name)
        ? [{ name, value: SECRET_VARIABLES.test(name) ? 'set' : publicValue(value) }]
        : [],
    )
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The value without the user name and password of a URL. */
function publicValue(value: string): string {
  return value.replace(/^([a-z][a-z\d+.-]*:\/\/)?.*@/is, '$1***@');
}
