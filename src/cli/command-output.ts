import { choiceParser } from '../commands/define-command.ts';
import { type GlobalFlags, resolveSetting, type SettingSources } from '../config/settings.ts';
import { compileFilter, type JqFilter } from '../output/jq.ts';
import { createOutput, OUTPUT_FORMATS, type Output, type OutputFormat } from '../output/output.ts';
import { createRedactor, type Redact, SHORT_SECRET } from '../output/redactor.ts';
import { UsageError } from '../util/errors.ts';
import type { Environment, Host } from '../util/host.ts';
import type { CommandEntry } from './command-table.ts';

/**
 * Creates the output of a command, in the format that flags, environment and profile choose.
 *
 * @param sources reads the configuration, which is needed only if no flag sets the format
 * @throws UsageError for an invalid format or filter, and for flags that cannot be used together
 */
export async function createCommandOutput(
  flags: GlobalFlags,
  host: Host,
  { ignoresOutputFormat, toleratesBrokenConfig }: CommandEntry,
  sources: () => Promise<SettingSources>,
): Promise<Output> {
  if (flags.output !== undefined) choiceParser(flags.output, '--output', OUTPUT_FORMATS);
  if (ignoresOutputFormat) return openOutput(flags.output ?? 'table', flags, host);
  checkOutputFlags(flags);
  const configured = async () => resolveSetting('output', await sources()).value;
  const format = flags.output ?? (await configured().catch(fallback));
  if (flags.rawCsv && format !== 'csv') throw new UsageError('--raw-csv requires --output csv');
  if (flags.jq === undefined) return openOutput(format, flags, host);
  return openOutput(format, flags, host, await compileFilter(flags.jq, { raw: flags.rawOutput ?? false }));

  function fallback(error: unknown): OutputFormat {
    if (!toleratesBrokenConfig) throw error;
    return knownFormat(host.env.ORGADM_OUTPUT) ?? 'table';
  }
}

/**
 * Creates the output for a help text, and for an error from before a command runs: under --json that is JSON too.
 *
 * @param flags the options that Commander has parsed so far
 * @param argv the words after the program's name; `--json` may have been read as the value of the option before it
 */
export function createEarlyOutput(flags: GlobalFlags, argv: readonly string[], host: Host): Promise<Output> {
  const format = knownFormat(flags.output);
  const end = argv.indexOf('--');
  const options = end < 0 ? argv : argv.slice(0, end);
  const isJson = options.includes('--json') || (flags.jq !== undefined && format === undefined);
  return openOutput(isJson ? 'json' : (format ?? knownFormat(host.env.ORGADM_OUTPUT) ?? 'table'), flags, host);
}

function knownFormat(name: string | undefined): OutputFormat | undefined {
  return OUTPUT_FORMATS.find((format) => format === name);
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

function openOutput(format: OutputFormat, flags: GlobalFlags, host: Host, filter?: JqFilter): Promise<Output> {
  return createOutput({
    streams: host,
    env: host.env,
    format,
    color: flags.color,
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
function keyRedactor(env: Environment): Redact | undefined {
  const key = env.ORGADM_API_KEY?.trim();
  if (key === undefined || key.length < SHORT_SECRET) return undefined;
  let redact: Redact | undefined;
  return (text) => {
    redact ??= createRedactor([key]);
    return redact(text);
  };
}
