import type { RetryWait } from '../client/http/retry.ts';
import type { ServiceClient } from '../client/service-client.ts';
import type { Context } from '../commands/command-context.ts';
import type { GlobalFlags } from '../config/global-flags.ts';
import type { Settings } from '../config/settings.ts';
import type { Output } from '../output/output.ts';
import type { Progress } from '../output/progress.ts';
import type { Clock } from '../util/clock.ts';
import { renderDuration } from '../util/duration.ts';
import { EXIT } from '../util/errors.ts';
import type { Host } from '../util/host.ts';
import { VERSION } from '../util/version.ts';
/** Makes the context of one command. Nothing is read or opened yet. */
export function createContext(host: Host, flags: GlobalFlags, output: Output): Context {
  const closers: (() => Promise<void>)[] = [];
  let settings: Promise<Settings> | undefined;
  let service: Promise<ServiceClient> | undefined;
  let progress: Promise<Progress> | undefined;

  const context: Context = {
    host,
    flags,
    output,
    exitCode: EXIT.ok,
    settings() {
      settings ??= import('../config/settings.ts').then(({ resolveSettings }) => resolveSettings(flags, host));
      return settings;
    },
    service() {
      service ??= open();
      return service;
    },
    progress() {
      progress ??= startProgress();
      return progress;
    },
    async close() {
      for (const close of closers.reverse().splice(0)) await close();
    },
  };

  async function open(): Promise<ServiceClient> {
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
      verbose: flags.verbose ?? false,
      clock: host.clock,
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

/** Shorter waits are over before anyone has read of them. */
const SHOWN_FROM_MS = 1000;
const TICK_MS = 1000;

/**
 * Names a wait of the client on the progress line, and counts it down: a silent minute looks like a tool that hangs.
 *
 * @param open gives the line; asked only for waits that are worth it
 * @returns to be called when the wait is over
 */
function showRetryCountdown(
  { reason, ms, status }: RetryWait,
  open: () => Promise<Progress>,
  clock: Clock,
): () => void {
  if (ms < SHOWN_FROM_MS) return () => {};
  const reasonText = reason === 'limited' ? 'limited by the service' : `${describeFailure(status)}, trying again`;
  const until = clock.now() + ms;
  let line: Progress | undefined;
  let cancel = () => {};
  let over = false;
  const tick = () => {
    line?.update(() => `${reasonText}, ${renderDuration(until - clock.now())}`);
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
  return status === undefined ? 'no answer' : `the service answered ${status}`;
}
