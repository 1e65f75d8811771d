import { resolve } from 'node:path';
import * as z from 'zod/mini';
import type { GlobalFlags } from '../../config/setting-sources.ts';
import { type Settings, usesProfile } from '../../config/settings.ts';
import type { MemberList } from '../../import/list/open-list.ts';
import { mappingSchema } from '../../import/mapping.ts';
import type { ImportOptions } from './import-options.ts';

/** Global options that a run is continued with, unless the command line sets others. Paths are absolute. */
const globalSchema = z.object({
  keyFile: z.optional(z.string()),
  timeout: z.optional(z.string()),
  retries: z.optional(z.string()),
  caCert: z.optional(z.string()),
  allowHttp: z.optional(z.boolean()),
});

/** The command that started a run, as the journal keeps it: `runs resume` continues the run from the journal alone. */
const recordedCommandSchema = z.object({
  mapping: mappingSchema,
  invalid: z.enum(['abort', 'skip']),
  batchSize: z.int().check(z.minimum(1)),
  concurrency: z.int().check(z.minimum(1)),
  requestLifetime: z.optional(z.int().check(z.minimum(0))),
  ignoreExisting: z.optional(z.boolean()),
  /** The service's name for `deviceMgmtLabelId`. */
  labelName: z.string(),
  /** The profile that the user named, or that the base URL or the key came from. */
  profile: z.optional(z.string()),
  /** Whether the base URL is that of the profile. */
  hasProfileUrl: z.boolean(),
  global: globalSchema,
});

export type RecordedCommand = z.infer<typeof recordedCommandSchema>;

/** Returns what the journal keeps of a command. */
export function recordCommand(
  { options, list: { mapping } }: { options: ImportOptions; list: Pick<MemberList, 'mapping'> },
  settings: Settings,
  flags: GlobalFlags,
): RecordedCommand {
  const { invalid, batchSize, concurrency, requestLifetime, ignoreExisting } = options;
  const { profile, baseUrlFrom, sandbox } = settings;
  const hasProfile = sandbox === undefined && (flags.profile !== undefined || usesProfile(settings));
  const { keyFile, timeout, retries, caCert, allowHttp } = flags;
  const global = {
    keyFile: keyFile === undefined || keyFile === '-' ? undefined : resolve(keyFile),
    caCert: caCert === undefined ? undefined : resolve(caCert),
    timeout,
    retries,
    allowHttp,
  };
  return {
    mapping,
    invalid,
    batchSize,
    concurrency,
    requestLifetime,
    ignoreExisting,
    labelName: settings.wire.member.deviceMgmtLabelId,
    ...(hasProfile && { profile }),
    hasProfileUrl: baseUrlFrom?.kind === 'profile',
    global,
  };
}

/** Checks what a journal keeps of a command. Returns undefined for anything else. */
export function parseRecordedCommand(value: unknown): RecordedCommand | undefined {
  const checked = z.safeParse(recordedCommandSchema, value);
  return checked.success ? checked.data : undefined;
}
