import { createRedactor, type Redactor, SHORT_SECRET } from '../client/redactor.ts';
import type { GlobalFlags } from '../config/global-flags.ts';
import type { SettingSources } from '../config/setting-sources.ts';
import type { JqFilter } from '../output/jq.ts';
import { createOutput, OUTPUT_FORMATS, type Output, type OutputFormat } from '../output/output.ts';
import { UsageError } from '../util/errors.ts';
import type { Environment, Host } from '../util/host.ts';
import type { CommandLine } from './command-line.ts';

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
  if (sources === undefined) return openOutput(flags, flags.output ?? 'table', host);
  checkOutputFlags(flags);
  const configured = async () => configuredFormat(await sources());
  const fallback = (error: unknown) => {
    if (!ignoreBrokenConfig) throw error;
    return OUTPUT_FORMATS.find((known) => known === host.env.ORGADM_OUTPUT) ?? 'table';
  };
  const format = flags.output ?? (await configured().catch(fallback));
  if (flags.rawCsv && format !== 'csv') throw new UsageError('--raw-csv requires --output csv');
  if (flags.jq === undefined) return openOutput(flags, format, host);
  const { compileFilter } = await import('../output/jq.ts');
  return openOutput(flags, format, host, await compileFilter(flags.jq, { raw: flags.rawOutput ?? false }));
}

/** Creates the output for a help text, and for an error from before a command runs: under --json that is JSON too. */
export function createEarlyOutput(line: CommandLine | undefined, host: Host): Promise<Output> {
  const last = (long: string) => line?.options.findLast(({ option }) => option?.long === long);
  const named = [last('--output')?.value, host.env.ORGADM_OUTPUT].map((name) =>
    OUTPUT_FORMATS.find((known) => known === name),
  );
  const isJson = last('--json') !== undefined || (last('--jq') !== undefined && named[0] === undefined);
  const flags = last('--no-color') === undefined ? {} : { color: false };
  return openOutput(flags, isJson ? 'json' : (named[0] ?? named[1] ?? 'table'), host);
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

async function configuredFormat(sources: SettingSources): Promise<OutputFormat> {
  const { resolveSetting } = await import('../config/setting-sources.ts');
  return resolveSetting('output', sources).value;
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
 * Removes the key of the environment from messages: it may have been passed by mistake where a file or a URL belongs.
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
