import type { ClientOptions, ServiceClient } from '../client/service.ts';
import { selectProfile } from '../config/profiles.ts';
import { type GlobalFlags, isOtherService, type Profile, type SelectedProfile } from '../config/settings.ts';
import { type Settings, usesProfile } from '../config/target.ts';
import type { Output } from '../output/output.ts';
import type { Progress } from '../output/progress.ts';
import type { PromptTerminal } from '../output/prompt.ts';
import type { Text } from '../output/text.ts';
import { UsageError } from '../util/errors.ts';
import { type Host, hasTerminal } from '../util/host.ts';
import { VERSION } from '../util/package-version.ts';
import { parseBoolean } from '../util/units.ts';

/** The environment of a command. It resolves configuration, settings, and service once each, on first use. */
export interface Context {
  readonly host: Host;
  readonly flags: GlobalFlags;
  readonly output: Output;
  /** The profile of this run, which need not exist. */
  profile(): Promise<Profile>;
  /** The settings of this run. Throws UsageError for a profile that does not exist and for a bad value. */
  settings(): Promise<Settings>;
  /**
   * The service that the settings name, or the embedded one under `--sandbox`.
   *
   * @throws OrgadmError (exit 4) without a key, UsageError without a base URL, in this order
   */
  service(): Promise<ServiceClient>;
  /** Replaces global options. Call it before anything uses the service. */
  override(flags: GlobalFlags): void;
  /** A spinner on standard error if that is a terminal, otherwise one that shows nothing. Stopped by `close`. */
  progress(): Promise<Progress>;
  /** Called before the process ends at once: says how to continue. Does nothing unless the command sets it. */
  beforeExit: () => void;
  /** The exit code of a command that ends without an error; 0 unless the command sets it. */
  exitCode: number;
  /** Closes connections, the embedded service and the spinner. */
  close(): Promise<void>;
}

/** Returns the options that all clients of a run share. */
export function sharedClientOptions({
  host: { clock, random },
  flags: { debug },
  output,
}: Pick<Context, 'host' | 'flags' | 'output'>): Pick<
  ClientOptions,
  'userAgent' | 'clock' | 'random' | 'trace' | 'secrets'
> {
  const trace = debug ? (line: string) => output.trace(line) : undefined;
  return { userAgent: `orgadm/${VERSION}`, clock, random, trace, secrets: output.secrets };
}

/** Name of the sandbox as a target. */
export const SANDBOX_TARGET = 'the sandbox';

/**
 * Describes the service that a command changes: `https://api.example.com (profile prod)`, or `the sandbox`.
 *
 * @returns undefined if no service is configured
 */
export async function describeTarget(context: Pick<Context, 'settings'>): Promise<string | undefined> {
  const settings = await context.settings();
  const { sandbox, baseUrl, profile } = settings;
  if (sandbox !== undefined) return SANDBOX_TARGET;
  if (baseUrl === undefined) return undefined;
  return usesProfile(settings) ? `${baseUrl} (profile ${profile})` : baseUrl;
}

/** Prints a note for people. The JSON formats leave it out, because standard output says the same. */
export function noteForPeople(message: Text | string, output: Output): void {
  if (output.format !== 'json' && output.format !== 'ndjson') output.note(message);
}

/**
 * Whether orgadm may prompt: standard input and standard error are a terminal.
 *
 * @param hint what to pass instead of a reply, for the error: `Set ORGADM_API_KEY.`
 * @throws UsageError on a terminal under --no-input or ORGADM_NO_INPUT
 */
export function canPrompt(hint: string, context: Pick<Context, 'host' | 'flags'>): boolean {
  if (!hasTerminal(context.host)) return false;
  const forbiddenBy = promptsForbiddenBy(context);
  if (forbiddenBy === undefined) return true;
  throw new UsageError(`${forbiddenBy} rules out asking`, hint);
}

/** Whether orgadm may ask what a command leaves open: on a terminal, unless the user rules it out. */
export function mayPrompt(context: Pick<Context, 'host' | 'flags'>): boolean {
  return hasTerminal(context.host) && promptsForbiddenBy(context) === undefined;
}

/** Returns the option or variable that rules out prompts; undefined if none does. Throws UsageError for a bad value. */
function promptsForbiddenBy({ host, flags }: Pick<Context, 'host' | 'flags'>): string | undefined {
  if (flags.input === false) return '--no-input';
  // Such a terminal cannot move the cursor.
  if (host.env.TERM === 'dumb') return 'TERM=dumb';
  const variable = host.env.ORGADM_NO_INPUT;
  return variable && parseBoolean(variable, 'ORGADM_NO_INPUT') ? 'ORGADM_NO_INPUT' : undefined;
}

/** @param undone what did not happen if the user cancels a question: `Nothing was sent.` */
export function promptTerminal(undone: string, { host, flags, output }: Context): PromptTerminal {
  return { host, color: flags.color, redact: output.secrets.redact, undone };
}

/** Whether a change of the service needs a confirmation: on a terminal, unless --yes, and never in the sandbox. */
export async function needsConfirmation(yes: boolean | undefined, context: Context): Promise<boolean> {
  return !yes && (await context.settings()).sandbox === undefined && hasTerminal(context.host);
}

/**
 * Makes sure that orgadm may ask for a confirmation.
 *
 * @param change for the error
 * @throws UsageError under --no-input or ORGADM_NO_INPUT
 */
export function requirePrompts(change: 'import' | 'update the role', context: Context): void {
  const forbiddenBy = promptsForbiddenBy(context);
  if (forbiddenBy === undefined) return;
  throw new UsageError(
    `this needs your confirmation, and ${forbiddenBy} rules out asking; nothing was sent`,
    `To ${change} without confirmation, add --yes.`,
  );
}

/**
 * Returns the profile that an auth command works on.
 *
 * @throws UsageError under --sandbox, which has no profile and a public key
 */
export function authProfile({ flags, host }: Context): SelectedProfile {
  if (flags.sandbox)
    throw new UsageError('--sandbox needs no key', 'Remove --sandbox to work with the keys of a profile.');
  return selectProfile(flags, host.env);
}

/**
 * Returns what a suggested `config set` needs to change the profile in use: ` --profile staging`. It is empty if no option names
 * the profile, because the command then changes the same one. What the profile of another service says does not hold for this
 * one, which needs a profile of its own.
 */
export async function profileOption({ flags, host, profile: read }: Context): Promise<string> {
  const { profile, sandbox } = flags;
  if (!sandbox && isOtherService({ flags, env: host.env, profile: await read() })) return ' --profile <name>';
  return profile === undefined ? '' : ` --profile ${profile}`;
}
