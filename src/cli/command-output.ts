import { createRedactor, type Redactor, SHORT_SECRET } from '../client/redactor.ts';
import type { CommandLine } from '../commands/command-line.ts';
import type { GlobalFlags } from '../config/global-flags.ts';
import type { JqFilter } from '../output/jq.ts';
import { createOutput, OUTPUT_FORMATS, type Output, type OutputFormat, parseOutputFormat } from '../output/output.ts';
import { UsageError } from '../util/errors.ts';
import type { Environment, Host } from '../util/host.ts';

/** The output for errors that come before the options are parsed: a script under --json always reads JSON. */
export function bootstrapOutput(line: CommandLine, host: Host): Promise<Output> {
  return openOutput({}, guessFormat(line, host.env), host);
}

/** The output of a command that prints text for people or shells, whatever the settings say. */
export function plainOutput(flags: GlobalFlags, host: Host): Promise<Output> {
  return openOutput(flags, 'table', host);
}

/**
 * The output that flags, environment and profile choose.
 *
 * @param ignoreBrokenConfig use the default format if the configuration file cannot be read
 * @throws UsageError for a format that is none, a filter that is no jq, and flags that exclude each other
 */
export async function createCommandOutput(flags: GlobalFlags, host: Host, ignoreBrokenConfig = false): Promise<Output> {
  return openOutput(flags, await chooseFormat(flags, host, ignoreBrokenConfig), host, await chooseFilter(flags));
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
 * What a service echoes never gets here. Short keys are left alone, for they may be words of our messages.
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

async function chooseFormat(flags: GlobalFlags, host: Host, ignoreBrokenConfig: boolean): Promise<OutputFormat> {
  if (flags.json && flags.output !== undefined && flags.output !== 'json') {
    throw new UsageError(`--json and --output ${flags.output} exclude each other`);
  }
  const named = flags.output === undefined ? undefined : parseOutputFormat(flags.output, '--output');
  if (flags.jq !== undefined && (named === 'table' || named === 'csv')) {
    throw new UsageError(
      `--jq and --output ${named} exclude each other`,
      'A filter is for JSON: -o json or -o ndjson.',
    );
  }
  if (flags.json || (flags.jq !== undefined && named === undefined)) return 'json';
  if (named !== undefined) return named;
  const { configuredFormat } = await import('../config/settings.ts');
  try {
    return (await configuredFormat(flags, host)) ?? 'table';
  } catch (error) {
    if (!ignoreBrokenConfig) throw error;
    return OUTPUT_FORMATS.find((known) => known === host.env.ORGADM_OUTPUT) ?? 'table';
  }
}

async function chooseFilter({ jq, rawOutput }: GlobalFlags): Promise<JqFilter | undefined> {
  if (jq === undefined) {
    if (rawOutput) throw new UsageError('--raw-output goes with --jq');
    return undefined;
  }
  const { compileFilter } = await import('../output/jq.ts');
  return compileFilter(jq, { raw: rawOutput ?? false });
}

function guessFormat({ options }: CommandLine, env: Environment): OutputFormat {
  const last = (long: string) => options.findLast(({ option }) => option?.long === long);
  if (last('--json') !== undefined) return 'json';
  const named = OUTPUT_FORMATS.find((known) => known === last('--output')?.value);
  if (named !== undefined) return named;
  if (last('--jq') !== undefined) return 'json';
  return OUTPUT_FORMATS.find((known) => known === env.ORGADM_OUTPUT) ?? 'table';
}
