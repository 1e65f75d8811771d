import { resolve } from 'node:path';
import * as z from 'zod/mini';
import type { Settings } from '../../config/settings.ts';
import type { Context } from '../command-context.ts';
import { typedCommand } from '../typed-command.ts';
import type { CheckedImport } from './bulk-options.ts';
import { mappingSchema } from './list-mapping.ts';

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
  requestLifetimeMs: z.optional(z.int().check(z.minimum(0))),
  ignoreExisting: z.boolean(),
  /** The service's name for `deviceMgmtLabelId`. */
  labelName: z.string(),
  /** The profile that the user named, or that the base URL or the key came from. */
  profile: z.optional(z.string()),
  /** Whether the base URL is that of the profile. */
  hasProfileUrl: z.boolean(),
  global: globalSchema,
  /** For a list from standard input, which only the user can pipe in again: the command that continues the run. */
  pipedInto: z.optional(z.string()),
});

export type RecordedCommand = z.infer<typeof recordedCommandSchema>;

/** Shorter keys are part of other words. */
const MIN_KEY = 8;

/**
 * Returns what the journal keeps of a command. Returns undefined if an option repeats the key, which is never written down.
 */
export function recordCommand(
  { options, file }: Pick<CheckedImport, 'options' | 'file'>,
  settings: Settings,
  apiKey: string,
  { flags, argv }: Pick<Context, 'flags' | 'argv'>,
): RecordedCommand | undefined {
  const { mapping, invalid, batchSize, concurrency, requestLifetimeMs, ignoreExisting } = options;
  const { profile, baseUrlFrom, apiKeyFrom, sandbox } = settings;
  const from = `profile ${profile}`;
  const usesProfile =
    sandbox === undefined && (flags.profile !== undefined || [baseUrlFrom, apiKeyFrom].includes(from));
  const { keyFile, timeout, retries, caCert, allowHttp } = flags;
  const global = {
    keyFile: keyFile === undefined || keyFile === '-' ? undefined : resolve(keyFile),
    caCert: caCert === undefined ? undefined : resolve(caCert),
    ...{ timeout, retries, allowHttp },
  };
  const command = {
    ...{ mapping, invalid, batchSize, concurrency, ignoreExisting },
    labelName: settings.wire.member.deviceMgmtLabelId,
    ...(requestLifetimeMs !== undefined && { requestLifetimeMs }),
    ...(usesProfile && { profile }),
    hasProfileUrl: baseUrlFrom === from,
    global,
    ...(file === '-' && { pipedInto: resumingCommand(argv) }),
  };
  return apiKey.length >= MIN_KEY && JSON.stringify(command).includes(apiKey) ? undefined : command;
}

/** Returns the command as the user typed it, so that it continues the run of the same list. */
export function resumingCommand(argv: readonly string[]): string {
  return typedCommand(argv, argv.includes('--resume') ? [] : ['--resume']);
}

/** Checks what a journal keeps of a command. Returns undefined for anything else. */
export function parseRecordedCommand(value: unknown): RecordedCommand | undefined {
  const checked = z.safeParse(recordedCommandSchema, value);
  return checked.success ? checked.data : undefined;
}
