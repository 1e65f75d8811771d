import type { TypedWords } from '../commands/typed-command.ts';
import type { GlobalFlags } from '../config/settings.ts';
import type { JqFilter } from '../output/jq.ts';
import { createOutput, OUTPUT_FORMATS, type Output, type OutputFormat } from '../output/output.ts';
import { Secrets } from '../output/redact.ts';
import type { Environment, Host } from '../util/host.ts';

/**
 * Creates the output for a help text, and for an error from before a command runs: under --json that is JSON too.
 *
 * @param flags the options that Commander has parsed so far
 * @param argv `--json` may have been read as the value of the option before it
 */
export function createEarlyOutput(flags: GlobalFlags, argv: TypedWords, host: Host): Promise<Output> {
  const format = knownFormat(flags.output);
  const isJson = argv.words.slice(0, argv.end).includes('--json') || (flags.jq !== undefined && format === undefined);
  return openOutput(isJson ? 'json' : (format ?? knownFormat(host.env.ORGADM_OUTPUT) ?? 'table'), flags, host);
}

/** Returns the output format of this name; undefined if there is none. */
function knownFormat(name: string | undefined): OutputFormat | undefined {
  return OUTPUT_FORMATS.find((format) => format === name);
}

/** Creates the output in a format, as the flags configure it. */
export function openOutput(format: OutputFormat, flags: GlobalFlags, host: Host, filter?: JqFilter): Promise<Output> {
  return createOutput({
    streams: host,
    env: host.env,
    format,
    color: flags.color,
    quiet: flags.quiet ?? false,
    filter,
    secrets: secretsOf(host.env),
  });
}

/** Returns the key of the environment: users may pass it by mistake where a file or a URL belongs. The client adds others. */
function secretsOf({ ORGADM_API_KEY = '' }: Environment): Secrets {
  const secrets = new Secrets();
  secrets.add(ORGADM_API_KEY.trim());
  return secrets;
}
