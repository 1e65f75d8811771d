import * as z from 'zod/mini';
import { SETTING_NAMES, type StoredValue } from '../../config/setting-table.ts';
import { nullableText, openEnum, textSchema, withDescription, withExample } from '../output-schema.ts';

const storedValue: z.ZodMiniType<StoredValue> = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]);

/** The name of a setting. */
export const settingName = openEnum(SETTING_NAMES, 'a setting');

const effectiveSetting = z.object({
  name: openEnum(['profile', ...SETTING_NAMES, 'api-key'], 'a setting'),
  value: withDescription(z.nullable(storedValue), 'null without a value, and for the API key'),
  source: z.enum(['option', 'variable', 'profile', 'default', 'unset']),
  from: nullableText('the option, variable, or profile'),
});

/** A setting as it applies to this run. */
export type EffectiveSetting = z.output<typeof effectiveSetting>;

/** The output of `config list`: the settings of each profile, or those of this run. */
export const configListOutput = withExample(
  z.union([
    withDescription(z.record(z.string(), z.partialRecord(settingName, storedValue)), 'the settings of each profile'),
    withDescription(z.array(effectiveSetting), 'with --effective: every setting of this run'),
  ]),
  { default: { 'base-url': 'https://api.example.com', retries: 7 } },
);

/** The output of `config set`. */
export const configSetOutput = withExample(
  z.object({
    profile: z.string(),
    name: settingName,
    value: storedValue,
    file: textSchema('the file of the settings'),
  }),
  { profile: 'default', name: 'retries', value: 7, file: '/home/ada/.config/orgadm/config.json' },
);

/** The output of `config unset`. */
export const configUnsetOutput = withExample(
  z.object({ profile: z.string(), removed: withDescription(z.array(settingName), 'the settings that were set') }),
  { profile: 'default', removed: ['retries'] },
);
