import type { RetryWait } from '../client/retry.ts';
import type { ServiceClient } from '../client/service.ts';
import { type Context, sharedClientOptions } from '../commands/command-context.ts';
import type { CommandEntry } from '../commands/orgadm-command.ts';
import { readProfile } from '../config/profiles.ts';
import type { GlobalFlags } from '../config/settings.ts';
import {
  missingBaseUrlError,
  missingKeyError,
  otherKeyHint,
  resolveSettings,
  type Settings,
} from '../config/target.ts';
import type { Output, OutputFormat } from '../output/output.ts';
import { createProgress, type Progress } from '../output/progress.ts';
import { EXIT } from '../util/errors.ts';
import type { Host } from '../util/host.ts';
import { renderDuration } from '../util/units.ts';
import { openCommandOutput } from './output-format.ts';

/** Creates the context of one command. Throws as `openCommandOutput` does. */
export async function createContext(
  host: Host,
  flags: GlobalFlags,
  format: OutputFormat,
  entry: CommandEntry,
): Promise<Context> {
  const closers: (() => Promise<void>)[] = [];
  let profile = memoize(() => readProfile(flags, host));
  let settings = memoize(async () => resolveSettings(await profile(), flags, host));
  const output = await openCommandOutput(format, flags, host, entry);

  const context: Context = {
    host,
    flags,
    output,
    beforeExit() {},
    exitCode: EXIT.ok,
    profile: () => profile(),
    settings: () => settings(),
    override(changes) {
      Object.assign(flags, changes);
      profile = memoize(() => readProfile(flags, host));
      settings = memoize(async () => resolveSettings(await profile(), flags, host));
    },
    service: memoize(openService),
    progress: memoize(startProgress),
    async close() {
      for (const close of closers.reverse().splice(0)) await close();
    },
  };

  async function openService(): Promise<ServiceClient> {
    const chosen = await context.settings();
    const target = chosen.sandbox === undefined ? remoteService(chosen, host) : await startEmbedded(chosen.sandbox);
    const { createClient } = await import('../client/service.ts');
    const client = createClient({
      ...target,
      ...sharedClientOptions(context),
      timeoutMs: chosen.timeoutMs,
      retries: chosen.retries,
      onWait: (wait) => noteWait(wait, output),
    });
    closers.push(() => client.close());
    return client;
  }

  async function startEmbedded(sandbox: NonNullable<Settings['sandbox']>) {
    const [{ startSandbox }, { parseFaults }] = await Promise.all([
      import('../sandbox/server.ts'),
      import('../sandbox/faults.ts'),
    ]);
    const sandboxServer = await startSandbox({
      stateFile: sandbox.stateFile,
      ...(sandbox.fault === undefined ? {} : { faults: parseFaults(sandbox.fault) }),
    });
    closers.push(() => sandboxServer.close());
    return { baseUrl: sandboxServer.url, apiKey: sandboxServer.apiKey, allowHttp: false, proxy: {} };
  }

  async function startProgress(): Promise<Progress> {
    const started = await createProgress({
      stderr: host.stderr,
      env: host.env,
      quiet: flags.quiet ?? false,
      color: flags.color,
      clock: host.clock,
      output,
    });
    output.attach(started);
    closers.push(async () => started.stop());
    return started;
  }

  return context;
}

function remoteService(settings: Settings, host: Host) {
  if (settings.apiKeyFrom === undefined) throw missingKeyError(host, settings);
  if (settings.baseUrl === undefined) throw missingBaseUrlError();
  return {
    baseUrl: settings.baseUrl,
    apiKey: settings.readKey() ?? '',
    keyHint: otherKeyHint(settings),
    allowHttp: settings.allowHttp,
    proxy: settings.proxy,
    caCert: settings.caCert,
    extraCaCerts: settings.extraCaCerts,
  };
}

/** Shorter waits are not worth a note, in milliseconds. */
const NOTED_FROM_MS = 1_000;

/** Says why and for how long a request waits: a silent minute looks like a hang. */
function noteWait({ ms, error: { status } }: RetryWait, output: Output): void {
  if (ms < NOTED_FROM_MS) return;
  const reason = status === undefined ? 'no response' : `the service returned ${status}`;
  const text = status === 429 ? 'rate limited, continuing' : `${reason}, trying again`;
  output.note(`${text} in ${renderDuration(ms)}`);
}

/** Returns a function that calls `create` at the first call, and returns its result at every call. */
function memoize<T>(create: () => T): () => T {
  let created: { readonly result: T } | undefined;
  return () => {
    created ??= { result: create() };
    return created.result;
  };
}
