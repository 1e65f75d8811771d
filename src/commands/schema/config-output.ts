import * as z from 'zod/mini';
import { SETTING_NAMES } from '../../config/setting-table.ts';
import { SETTING_ORIGINS } from '../config/list.ts';
import { openEnum, withExamples } from './render-schema.ts';

const value = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]);

/** The name of a setting. */
export const settingName = openEnum(SETTING_NAMES, 'a setting');

const effectiveSetting = z.object({
  name: openEnum(['profile', ...SETTING_NAMES, 'api-key'], 'a setting'),
  value: z.nullable(value).check(z.describe('null without a value, and for the API key')),
  source: z.enum(SETTING_ORIGINS),
  from: z.nullable(z.string()).check(z.describe('the option, variable or profile')),
});

/** What `config list` prints: the settings of each profile, or those of this run. */
export const configListOutput = withExamples(
  z.union([
    z.record(z.string(), z.partialRecord(settingName, value)).check(z.describe('the settings of each profile')),
    z.array(effectiveSetting).check(z.describe('with --effective: every setting of this run')),
  ]),
  { default: { 'base-url': 'https://api.example.com', retries: 7 } },
  [
    { name: 'profile', value: 'default', source: 'default', from: null },
    { name: 'retries', value: 7, source: 'profile', from: 'profile default' },
  ],
);

/** What `config get` prints. */
export const configGetOutput = withExamples(value, 7, 'https://api.example.com', true, ['is on board']);

/** What `config set` prints. */
export const configSetOutput = withExamples(
  z.object({
    profile: z.string(),
    name: settingName,
    value,
    file: z.string().check(z.describe('the file of the settings')),
  }),
  { profile: 'default', name: 'retries', value: 7, file: '/home/ada/.config/orgadm/config.json' },
);

/** What `config unset` prints. */
export const configUnsetOutput = withExamples(
  z.object({
    profile: z.string(),
    removed: z.array(settingName).check(z.describe('the settings that were set')),
  }),
  { profile: 'default', removed: ['retries'] },
);

/** What `config path` prints. */
export const configPathOutput = withExamples(
  z.object({
    config: z.string().check(z.describe('the file of the settings')),
    credentials: z.string().check(z.describe('the file of the keys')),
  }),
  { config: '/home/ada/.config/orgadm/config.json', credentials: '/home/ada/.config/orgadm/credentials.json' },
);
