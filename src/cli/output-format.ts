import { Command } from 'commander';
import type { CommandEntry } from '../commands/orgadm-command.ts';
import type { GlobalFlags } from '../config/settings.ts';
import { compileFilter, type JqFilter } from '../output/jq.ts';
import { createOutput, OUTPUT_FORMATS, type Output, type OutputFormat } from '../output/output.ts';
import { Secrets } from '../output/redact.ts';
import { UsageError } from '../util/errors.ts';
import type { Environment, Host } from '../util/host.ts';
import { notAllowedError } from '../util/unknown-name.ts';
import { addGlobalOptions } from './global-options.ts';

/**
 * Decides the output format before anything else, so that every error has it, also one of the command line: by `-o`, `--json`,
 * `--jq`, and `ORGADM_OUTPUT`. A name that is no format counts as none here, and is an error later.
 *
 * @param words the words after the program's name
 */
export function decideFormat(words: readonly string[], env: Environment): OutputFormat {
  const reader = new Command()
    .allowUnknownOption()
    .exitOverride()
    .configureOutput({ outputError: () => {} });
  addGlobalOptions(reader);
  try {
    reader.parseOptions([...words]);
  } catch {
    // A value is missing at the end, which the program reports.
  }
  const { output, json, jq } = reader.opts<GlobalFlags>();
  if (json || (jq !== undefined && output === undefined)) return 'json';
  return OUTPUT_FORMATS.find((format) => format === (output ?? env.ORGADM_OUTPUT)) ?? 'table';
}

/** Creates the output in a format, as the options configure it. */
export function openOutput(format: OutputFormat, flags: GlobalFlags, host: Host, filter?: JqFilter): Promise<Output> {
  const { color, quiet = false } = flags;
  return createOutput({ streams: host, env: host.env, format, color, quiet, filter, secrets: secretsOf(host.env) });
}

/** Returns the key of the environment: users may pass it by mistake where a file or a URL belongs. The client adds others. */
function secretsOf({ ORGADM_API_KEY = '' }: Environment): Secrets {
  const secrets = new Secrets();
  secrets.add(ORGADM_API_KEY.trim());
  return secrets;
}

/**
 * Creates the output of a command.
 *
 * @throws UsageError for a name that is no format, for an invalid filter, and for options that cannot be used together
 */
export async function openCommandOutput(
  format: OutputFormat,
  flags: GlobalFlags,
  host: Host,
  { ignoresOutputFormat }: CommandEntry,
): Promise<Output> {
  if (ignoresOutputFormat) return openOutput(flags.output ?? 'table', flags, host);
  const { json, jq, output, rawOutput = false } = flags;
  const { ORGADM_OUTPUT: variable } = host.env;
  if (output === undefined && variable && !OUTPUT_FORMATS.some((known) => known === variable))
    throw notAllowedError(variable, 'ORGADM_OUTPUT', OUTPUT_FORMATS);
  if (json && output !== 'json') throw new UsageError(`--json cannot be used with --output ${output}`);
  if (jq !== undefined && (output === 'table' || output === 'csv')) {
    throw new UsageError(
      `--jq cannot be used with --output ${output}`,
      'A filter needs JSON: use -o json or -o ndjson.',
    );
  }
  if (rawOutput && jq === undefined) throw new UsageError('--raw-output requires --jq');
  const filter = jq === undefined ? undefined : await compileFilter(jq, { raw: rawOutput });
  return openOutput(format, flags, host, filter);
}
