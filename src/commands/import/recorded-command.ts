import { resolve } from 'node:path';
import * as z from 'zod/mini';
import type { GlobalFlags } from '../../config/setting-sources.ts';
import { type Settings, usesProfile } from '../../config/settings.ts';
import type { MemberList } from '../../import/list/open-list.ts';
import { mappingSchema } from '../../import/mapping.ts';
import { createRedactor, type Redact, SHORT_SECRET } from '../../output/redactor.ts';
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

/** Returns the function that removes the key from what a journal keeps. A short key may be an ordinary word in it. */
export function redactorForJournal(apiKey: string): Redact {
  return apiKey.length < SHORT_SECRET ? (text) => text : createRedactor([apiKey]);
}

/**
 * Returns what the journal keeps of a command. Returns undefined if an option, the list's path, or the base URL repeats the key,
 * which is never written down: then only the command itself can continue the run.
 */
export function recordCommand(
  { options, list: { path, mapping } }: { options: ImportOptions; list: Pick<MemberList, 'path' | 'mapping'> },
  settings: Settings,
  redact: Redact,
  flags: GlobalFlags,
): RecordedCommand | undefined {
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
  const command = {
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
  const written = JSON.stringify([command, path, settings.baseUrl]);
  return redact(written) === written ? command : undefined;
}

/** Checks what a journal keeps of a command. Returns undefined for anything else. */
export function parseRecordedCommand(value: unknown): RecordedCommand | undefined {
  const checked = z.safeParse(recordedCommandSchema, value);
  return checked.success ? checked.data : undefined;
}
