import { Argument } from 'commander';
import { isSettingName, SETTING_NAMES, SETTINGS, type Setting, type SettingName } from '../../config/setting-table.ts';
import { UsageError } from '../../util/errors.ts';
import { unknownNameError } from '../../util/suggest.ts';

/** Creates an argument for the name of a setting. Its parser throws UsageError, with the closest name, for an unknown one. */
export function settingArgument(name: string, description: string): Argument {
  const isSeveral = name.includes('...');
  const argument = new Argument(name, description).argParser<SettingName | SettingName[]>((text, previous) => {
    if (/^(api[-_]?)?key$/i.test(text))
      throw new UsageError(`"${text}" is not a setting`, 'Store the API key with: orgadm auth login');
    if (!isSettingName(text)) throw unknownNameError('unknown setting', text, SETTING_NAMES);
    return isSeveral ? [previous ?? [], text].flat() : text;
  });
  argument.argChoices = [...SETTING_NAMES];
  return argument;
}

/** Renders the settings with their descriptions, for help. */
export function renderSettings(): string {
  const width = Math.max(...SETTING_NAMES.map((name) => name.length));
  const lines = SETTING_NAMES.map((name) => {
    const { description, default: standard }: Setting<unknown> = SETTINGS[name];
    const note = standard === undefined || typeof standard === 'object' ? '' : ` (default: ${standard})`;
    return `  ${name.padEnd(width)}  ${description}${note}`;
  });
  return `Settings:\n${lines.join('\n')}\n`;
}
