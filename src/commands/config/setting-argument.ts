import { Argument } from 'commander';
import { isSettingName, SETTING_NAMES, SETTINGS, type SettingName } from '../../config/setting-table.ts';
import { unknownNameError } from '../../util/suggest.ts';

/** @throws UsageError, with the nearest name, for one that no setting has */
export async function readSettingName(name: string): Promise<SettingName> {
  if (isSettingName(name)) return name;
  throw await unknownNameError('unknown setting', name, SETTING_NAMES);
}

/** An argument that takes the name of a setting: for help and completion. It is checked by `readSettingName`. */
export function settingArgument(name: string, description: string): Argument {
  const argument = new Argument(name, description);
  argument.argChoices = [...SETTING_NAMES];
  return argument;
}

/** The settings and what they take, for help. */
export function renderSettings(): string {
  const width = Math.max(...SETTING_NAMES.map((name) => name.length));
  const lines = SETTING_NAMES.map((name) => `  ${name.padEnd(width)}  ${SETTINGS[name].description}`);
  return `Settings:\n${lines.join('\n')}\n`;
}
