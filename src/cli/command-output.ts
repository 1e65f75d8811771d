import { choiceParser } from '../commands/define-command.ts';
import type { CommandEntry } from '../commands/orgadm-command.ts';
import type { GlobalFlags } from '../config/settings.ts';
import { compileFilter } from '../output/jq.ts';
import { OUTPUT_FORMATS, type Output } from '../output/output.ts';
import { UsageError } from '../util/errors.ts';
import type { Host } from '../util/host.ts';
import { openOutput } from './early-output.ts';

/**
 * Creates the output of a command, in the format that flags and environment choose.
 *
 * @throws UsageError for an invalid format or filter, and for flags that cannot be used together
 */
export async function createCommandOutput(
  flags: GlobalFlags,
  host: Host,
  { ignoresOutputFormat }: CommandEntry,
): Promise<Output> {
  if (flags.output !== undefined) choiceParser(flags.output, '--output', OUTPUT_FORMATS);
  if (ignoresOutputFormat) return openOutput(flags.output ?? 'table', flags, host);
  checkOutputFlags(flags);
  const { ORGADM_OUTPUT: variable } = host.env;
  const format = flags.output ?? (variable ? choiceParser(variable, 'ORGADM_OUTPUT', OUTPUT_FORMATS) : 'table');
  if (flags.jq === undefined) return openOutput(format, flags, host);
  return openOutput(format, flags, host, await compileFilter(flags.jq, { raw: flags.rawOutput ?? false }));
}

function checkOutputFlags({ json, jq, output, rawOutput }: GlobalFlags): void {
  if (json && output !== 'json') throw new UsageError(`--json cannot be used with --output ${output}`);
  if (jq !== undefined && (output === 'table' || output === 'csv')) {
    throw new UsageError(
      `--jq cannot be used with --output ${output}`,
      'A filter needs JSON: use -o json or -o ndjson.',
    );
  }
  if (rawOutput && jq === undefined) throw new UsageError('--raw-output requires --jq');
}
