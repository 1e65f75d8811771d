import { type Command, Option } from 'commander';
import { OUTPUT_FORMATS } from '../output/output.ts';

type OptionDefinition = readonly [flags: string, description: string, choices?: readonly string[]];

/** The options that every command takes, by what they are about. */
const OPTION_GROUPS: Readonly<Record<string, readonly OptionDefinition[]>> = {
  'Global options, the service:': [
    ['--profile <name>', 'the profile whose service, key and settings to use (ORGADM_PROFILE; default: default)'],
    ['--base-url <url>', 'the service, a path prefix kept (ORGADM_BASE_URL)'],
    ['--key-file <path>', 'read the API key from a file, - for standard input (else ORGADM_API_KEY, else auth login)'],
    ['--timeout <duration>', "to the answer's headers, then the same without a byte (ORGADM_TIMEOUT; default: 30s)"],
    ['--retries <n>', 'further attempts after the first (ORGADM_RETRIES; default: 4)'],
    ['--ca-cert <file>', 'trust the certificates of this PEM file too'],
    ['--allow-http', 'plain http beyond loopback: the key travels in the clear'],
  ],
  'Global options, the sandbox:': [
    ['--sandbox', 'use the embedded sandbox: no account, no configuration'],
    ['--fault <faults>', 'inject faults: reset=0.1,limit=100/min,…'],
    ['--variant <points>', 'choose the behavior where services differ: index-base=1,… (both: sandbox serve --help)'],
  ],
  'Global options, the output:': [
    ['-o, --output <format>', 'output format (ORGADM_OUTPUT; default: table)', OUTPUT_FORMATS],
    ['--json', 'the same as -o json'],
    ['--jq <filter>', 'filter the JSON output with a jq expression; implies -o json'],
    ['-r, --raw-output', 'with --jq: texts without quotes'],
    ['--raw-csv', 'csv without the quote that keeps spreadsheets from running a cell as a formula'],
    ['-q, --quiet', 'no progress, notes or hints on standard error'],
    ['-v, --verbose', 'one line a request on standard error'],
    ['--debug', 'headers and bodies on standard error, secrets out; stack traces'],
    ['--no-color', 'no colour (NO_COLOR)'],
  ],
};

/** Gives the program the options that every command takes. */
export function addGlobalOptions(program: Command): void {
  for (const [group, flags] of Object.entries(OPTION_GROUPS)) {
    for (const [names, description, choices] of flags) {
      const option = new Option(names, description).helpGroup(group);
      if (choices !== undefined) option.argChoices = [...choices];
      program.addOption(option);
    }
  }
}
