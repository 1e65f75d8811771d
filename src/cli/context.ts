import type { RetryWait } from '../client/http/retry.ts';
import type { ServiceClient } from '../client/service-client.ts';
import type { Context } from '../commands/command-context.ts';
import type { GlobalFlags } from '../config/global-flags.ts';
import type { SettingSources } from '../config/setting-sources.ts';
import type { Settings } from '../config/settings.ts';
import type { Output } from '../output/output.ts';
import type { Progress } from '../output/progress.ts';
import type { Clock } from '../util/clock.ts';
import { EXIT } from '../util/errors.ts';
import type { Host } from '../util/host.ts';
import { VERSION } from '../util/package-version.ts';
import { renderDuration } from '../util/units.ts';

/**
 * Creates the context of one command.
 *
 * @param openOutput creates the output; it reads the configuration only if the format depends on it
 */
export async function createContext(
  host: Host,
  flags: GlobalFlags,
  openOutput: (sources: () => Promise<SettingSources>) => Promise<Output>,
): Promise<Context> {
  const closers: (() => Promise<void>)[] = [];
  const sources = once(async () => (await import('../config/setting-sources.ts')).readSettingSources(flags, host));
  const output = await openOutput(sources);

  const context: Context = {
    host,
    flags,
    output,
    exitCode: EXIT.ok,
    sources,
    settings: once(async () => (await import('../config/settings.ts')).resolveSettings(await sources(), host)),
    service: once(openService),
    progress: once(startProgress),
    async close() {
      for (const close of closers.reverse().splice(0)) await close();
    },
  };

  async function openService(): Promise<ServiceClient> {
    const chosen = await context.settings();
    const target = chosen.sandbox === undefined ? await remoteService(chosen) : await startEmbedded(chosen.sandbox);
    const { createClient } = await import('../client/service-client.ts');
    const client = await createClient({
      ...target,
      timeoutMs: chosen.timeoutMs,
      retries: chosen.retries,
      userAgent: `orgadm/${VERSION}`,
      clock: host.clock,
      random: host.random,
      onWait: (wait) => showRetryCountdown(wait, context.progress, host.clock),
      ...(flags.verbose || flags.debug ? { trace: trace() } : {}),
    });
    closers.push(() => client.close());
    return client;
  }

  async function startEmbedded(sandbox: NonNullable<Settings['sandbox']>) {
    const [{ startSandbox }, { parseFaults }, { parseVariants }] = await Promise.all([
      import('../sandbox/server.ts'),
      import('../sandbox/faults.ts'),
      import('../sandbox/variants.ts'),
    ]);
    const sandboxServer = await startSandbox({
      stateFile: sandbox.stateFile,
      ...(sandbox.fault === undefined ? {} : { faults: parseFaults(sandbox.fault) }),
      ...(sandbox.variant === undefined ? {} : { variants: parseVariants(sandbox.variant) }),
    });
    closers.push(() => sandboxServer.close());
    return { baseUrl: sandboxServer.url, apiKey: sandboxServer.apiKey, allowHttp: false, proxy: {} };
  }

  async function startProgress(): Promise<Progress> {
    const { createProgress } = await import('../output/progress.ts');
    const started = await createProgress({
      stderr: host.stderr,
      env: host.env,
      quiet: flags.quiet ?? false,
      color: flags.color,
      clock: host.clock,
      style: output.errorStyle,
    });
    output.attach(started);
    closers.push(async () => started.stop());
    return started;
  }

  function trace() {
    const line = (text: string) => output.trace(text);
    return flags.debug ? { request: line, detail: line } : { request: line };
  }

  return context;
}

/** Returns a function that calls `create` at the first call and returns the same result at every call. */
function once<T>(create: () => Promise<T>): () => Promise<T> {
  let created: Promise<T> | undefined;
  return () => {
    created ??= create();
    return created;
  };
}

async function remoteService(settings: Settings) {
  if (settings.apiKey === undefined) {
    const { missingKeyError } = await import('../config/api-key.ts');
    throw missingKeyError(settings.keyBoundTo);
  }
  if (settings.baseUrl === undefined) {
    const { missingBaseUrlError } = await import('../config/connection.ts');
    throw missingBaseUrlError();
  }
  return {
    baseUrl: settings.baseUrl,
    apiKey: settings.apiKey,
    allowHttp: settings.allowHttp,
    proxy: settings.proxy,
    caCert: settings.caCert,
    extraCaCerts: settings.extraCaCerts,
  };
}

/** Shorter waits are not shown, because they end before the line can be read; in milliseconds. */
const SHOWN_FROM_MS = 1000;
const TICK_MS = 1000;

/**
 * Shows a wait of the client on the progress line as a countdown: a silent minute looks like a hang.
 *
 * @param open opens the line; called only for waits worth showing
 * @returns a function to call when the wait is over
 */
function showRetryCountdown(
  { reason, ms, status }: RetryWait,
  open: () => Promise<Progress>,
  clock: Clock,
): () => void {
  if (ms < SHOWN_FROM_MS) return () => {};
  const reasonText = reason === 'limited' ? 'rate limited, continuing' : `${describeFailure(status)}, retrying`;
  const until = clock.now() + ms;
  let line: Progress | undefined;
  let cancel = () => {};
  let over = false;
  const tick = () => {
    line?.update(() => `${reasonText} in ${renderDuration(until - clock.now())}`);
    cancel = clock.after(TICK_MS, tick);
  };
  void open().then((opened) => {
    line = opened;
    if (!over) tick();
  });
  return () => {
    over = true;
    cancel();
    line?.stop();
  };
}

function describeFailure(status: number | undefined): string {
  return status === undefined ? 'no response' : `the service returned ${status}`;
}
