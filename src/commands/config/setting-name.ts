import { unknownName } from '../../profiles/unknown-name.ts';
import { isSettingName, SETTING_NAMES, SETTINGS, type SettingName } from '../../settings/table.ts';

/** @throws UsageError, with the nearest name, for one that no setting has */
export async function readSettingName(name: string): Promise<SettingName> {
  if (isSettingName(name)) return name;
  throw await unknownName('unknown setting', name, SETTING_NAMES);
}

/** The settings and what they take, for help. */
export function renderSettings(): string {
  const width = Math.max(...SETTING_NAMES.map((name) => name.length));
  const lines = SETTING_NAMES.map((name) => `  ${name.padEnd(width)}  ${SETTINGS[name].about}`);
  return `Settings:\n${lines.join('\n')}\n`;
}
