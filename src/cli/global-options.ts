import { type Command, Option } from 'commander';
import { choiceOption, choiceParser } from '../commands/define-command.ts';
import { OUTPUT_FORMATS } from '../output/output.ts';

/** Returns the options that every command accepts, by subject. */
const globalOptions = (): Readonly<Record<string, readonly Option[]>> => ({
  'Service options': [
    new Option(
      '--profile <name>',
      'profile whose service, key, and settings to use (ORGADM_PROFILE; default: default)',
    ),
    new Option('--base-url <url>', 'address of the service, including any path prefix (ORGADM_BASE_URL)'),
    new Option(
      '--key-file <path>',
      'read the API key from a file; - for standard input (default: see orgadm help environment)',
    ),
    new Option(
      '--timeout <duration>',
      'longest wait for a response and for each part of it (ORGADM_TIMEOUT; default: 30s)',
    ),
    new Option('--retries <n>', 'retries after the first attempt (ORGADM_RETRIES; default: 4)'),
    new Option('--ca-cert <file>', 'PEM file with additional certificates to trust'),
    new Option('--allow-http', 'allow plain http to other machines, which sends the key unencrypted'),
  ],
  'Sandbox options': [
    new Option('--sandbox', 'use the embedded sandbox, which needs no account or configuration').conflicts([
      'baseUrl',
      'keyFile',
      'caCert',
      'allowHttp',
    ]),
    new Option('--fault <faults>', 'inject faults: error500=0.1,limit=100/min,… (all: sandbox serve --help)'),
  ],
  'Output options': [
    choiceOption('-o, --output <format>', 'output format (ORGADM_OUTPUT; default: table)', OUTPUT_FORMATS).argParser(
      (text) => choiceParser(text, '--output', OUTPUT_FORMATS),
    ),
    new Option('--json', 'same as -o json').implies({ output: 'json' }),
    new Option('--jq <filter>', 'filter the JSON output with a jq expression; implies -o json').implies({
      output: 'json',
    }),
    new Option('-r, --raw-output', 'with --jq: print strings without quotes'),
    new Option('-q, --quiet', 'print no progress, notes, or hints'),
    new Option('--debug', 'print requests with headers and bodies, without secrets, and stack traces'),
    new Option('--no-color', 'no color, no animation (NO_COLOR)'),
    new Option('--no-input', 'never prompt: fail and name the option to pass instead (ORGADM_NO_INPUT)'),
  ],
});

/** Adds the options that every command accepts to the program. */
export function addGlobalOptions(program: Command): void {
  for (const [group, options] of Object.entries(globalOptions())) {
    for (const option of options) program.addOption(option.helpGroup(group));
  }
}
