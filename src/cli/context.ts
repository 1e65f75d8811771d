import type { RetryWait } from '../client/http/retry.ts';
import { createRedactor, type Redactor, SHORT_SECRET } from '../client/redactor.ts';
import type { ServiceClient } from '../client/service-client.ts';
import type { Context } from '../commands/command-context.ts';
import { choiceParser } from '../commands/define-command.ts';
import { missingKeyError } from '../config/profiles.ts';
import {
  type GlobalFlags,
  missingBaseUrlError,
  readSettingSources,
  resolveSetting,
  resolveSettings,
  type SettingSources,
  type Settings,
} from '../config/settings.ts';
import { compileFilter, type JqFilter } from '../output/jq.ts';
import { createOutput, OUTPUT_FORMATS, type Output, type OutputFormat } from '../output/output.ts';
import { createProgress, type Progress } from '../output/progress.ts';
import { EXIT, UsageError } from '../util/errors.ts';
import type { Clock, Environment, Host } from '../util/host.ts';
import { memoize } from '../util/memoize.ts';
import { VERSION } from '../util/package-version.ts';
import { renderDuration } from '../util/units.ts';

/**
 * Creates the context of one command.
 *
 * @param argv the words after the program's name
 * @param openOutput creates the output; it reads the configuration only if the format depends on it
 */
export async function createContext(
  host: Host,
  argv: readonly string[],
  flags: GlobalFlags,
  openOutput: (sources: () => Promise<SettingSources>) => Promise<Output>,
): Promise<Context> {
  const closers: (() => Promise<void>)[] = [];
  let sources = memoize(() => readSettingSources(flags, host));
  const output = await openOutput(sources);

  const context: Context = {
    host,
    argv,
    flags,
    output,
    exitCode: EXIT.ok,
    sources: () => sources(),
    settings: memoize(async () => resolveSettings(await sources(), host)),
    override(changes) {
      Object.assign(flags, changes);
      sources = memoize(() => readSettingSources(flags, host));
    },
    service: memoize(openService),
    progress: memoize(startProgress),
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
  if (settings.apiKeyFrom === undefined) throw missingKeyError(settings.keyBoundTo);
  if (settings.baseUrl === undefined) throw missingBaseUrlError();
  return {
    baseUrl: settings.baseUrl,
    apiKey: (await settings.readKey()) ?? '',
    keyFrom: settings.apiKeyFrom,
    allowHttp: settings.allowHttp,
    proxy: settings.proxy,
    caCert: settings.caCert,
    extraCaCerts: settings.extraCaCerts,
  };
}

/** Shorter waits are not shown, because they end before anyone can read the line; in milliseconds. */
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

/**
 * Creates the output of a command, in the format that flags, environment and profile choose.
 *
 * @param sources undefined for a command that prints text for people or shells in every format
 * @param ignoreBrokenConfig use the default format if the configuration cannot be read
 * @throws UsageError for an invalid format or filter, and for flags that cannot be used together
 */
export async function createCommandOutput(
  flags: GlobalFlags,
  host: Host,
  sources: (() => Promise<SettingSources>) | undefined,
  ignoreBrokenConfig = false,
): Promise<Output> {
  if (flags.output !== undefined) choiceParser(flags.output, '--output', OUTPUT_FORMATS);
  if (sources === undefined) return openOutput(flags, flags.output ?? 'table', host);
  checkOutputFlags(flags);
  const configured = async () => resolveSetting('output', await sources()).value;
  const fallback = (error: unknown) => {
    if (!ignoreBrokenConfig) throw error;
    return OUTPUT_FORMATS.find((known) => known === host.env.ORGADM_OUTPUT) ?? 'table';
  };
  const format = flags.output ?? (await configured().catch(fallback));
  if (flags.rawCsv && format !== 'csv') throw new UsageError('--raw-csv requires --output csv');
  if (flags.jq === undefined) return openOutput(flags, format, host);
  return openOutput(flags, format, host, await compileFilter(flags.jq, { raw: flags.rawOutput ?? false }));
}

/**
 * Creates the output for a help text, and for an error from before a command runs: under --json that is JSON too.
 *
 * @param flags the options that Commander has parsed so far
 * @param argv the words after the program's name; `--json` may have been read as the value of the option before it
 */
export function createEarlyOutput(
  { color, json, jq, output }: GlobalFlags,
  argv: readonly string[],
  host: Host,
): Promise<Output> {
  const [flag, variable] = [output, host.env.ORGADM_OUTPUT].map((name) =>
    OUTPUT_FORMATS.find((known) => known === name),
  );
  const end = argv.indexOf('--');
  const isJson =
    json || argv.slice(0, end < 0 ? undefined : end).includes('--json') || (jq !== undefined && flag === undefined);
  return openOutput({ ...(color === false && { color }) }, isJson ? 'json' : (flag ?? variable ?? 'table'), host);
}

function checkOutputFlags({ json, jq, output, rawOutput }: GlobalFlags): void {
  if (json && output !== 'json') throw new UsageError(`--json cannot be used with --output ${output}`);
  if (jq !== undefined && (output === 'table' || output === 'csv' || output === 'markdown')) {
    throw new UsageError(
      `--jq cannot be used with --output ${output}`,
      'A filter needs JSON: use -o json or -o ndjson.',
    );
  }
  if (rawOutput && jq === undefined) throw new UsageError('--raw-output requires --jq');
}

function openOutput(flags: GlobalFlags, format: OutputFormat, host: Host, filter?: JqFilter): Promise<Output> {
  return createOutput({
    streams: host,
    env: host.env,
    format,
    ...(flags.color === false ? { color: false } : {}),
    quiet: flags.quiet ?? false,
    rawCsv: flags.rawCsv ?? false,
    filter,
    redact: keyRedactor(host.env),
  });
}

/**
 * Removes the key of the environment from messages, because users may pass it by mistake where a file or a URL belongs.
 * Responses are redacted by the client. Short keys stay: they may be ordinary words in our messages.
 */
function keyRedactor(env: Environment): ((text: string) => string) | undefined {
  const key = env.ORGADM_API_KEY?.trim();
  if (key === undefined || key.length < SHORT_SECRET) return undefined;
  let redactor: Redactor | undefined;
  return (text) => {
    redactor ??= createRedactor(key);
    return redactor.redact(text);
  };
}
