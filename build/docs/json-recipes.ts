/** The parts of docs/json.md about a document that its schema does not have. */
export interface JsonRecipe {
  /** The task that the recipe solves. */
  purpose: string;
  /** Commands to run first. */
  setup?: readonly string[];
  /** Pipes the JSON into jq. */
  command: string;
  /** The lines that the recipe prints. */
  output: readonly string[];
  /** The exit codes of the command, apart from those that all commands have. */
  exitCodes: string;
  /** Facts about this command alone: other formats, or when it prints nothing. */
  note?: string;
}

const REQUEST_CODES =
  '1 if the service rejects the request; 4 if the key is missing or rejected; 6 if the service is unreachable or failing';
const ADD = 'orgadm people bulk-add examples/members.csv --sandbox';

/** A recipe for each schema. They work as they are in a directory with the examples of the package. */
export const JSON_RECIPES: Readonly<Record<string, JsonRecipe>> = {
  'role update': {
    purpose: 'Count the values that the service stored differently from what orgadm sent.',
    command: "orgadm role update rol_custom_1 --permission control=read --sandbox --json | jq '.mismatches | length'",
    output: ['0'],
    exitCodes: `0; 3 if there are mismatches; 5 if the role does not exist; ${REQUEST_CODES}`,
  },
  'people bulk-add': {
    purpose: 'List the rows that were not created, with the reason.',
    command: `${ADD} --json | jq -r '.rows[] | "line \\(.line): \\(.userId) \\(.state)"'`,
    output: ['line 6: usr_0003 existing'],
    exitCodes: `0 if every person is a member now; 2 if the list is invalid; 3 if rows were not added, or their outcome is unknown; ${REQUEST_CODES}`,
    note: 'With `-o ndjson`, orgadm prints one row per line as soon as it is final, and created rows with the `member` that the service returned. The last line is an object with all other fields. Without `--all-rows`, `rows` has no created rows.',
  },
  'runs list': {
    purpose: 'Print the commands that continue unfinished runs, or show finished ones.',
    setup: [`${ADD} > /dev/null`],
    command: "orgadm runs list --json | jq -r '.[] | [.list, .state, .summary.created] | @tsv'",
    output: ['examples/members.csv\tfinished\t12'],
    exitCodes: '0',
    note: 'With `-o ndjson`, one run per line.',
  },
  'runs show': {
    purpose: 'Print the member ids of the people that a run created.',
    setup: [`${ADD} > /dev/null`, "run=$(orgadm runs list --jq '.[0].id' -r)"],
    command:
      'orgadm runs show "$run" --all-rows --json | jq -r \'.rows[] | select(.state == "created") | .memberId\' | wc -l',
    output: ['12'],
    exitCodes: '0; 2 if the journal of the run is damaged; 5 if the run does not exist',
  },
  'people template': {
    purpose: 'Print the fields that a list can have.',
    command: 'orgadm people template --json | jq -r \'[.[] | keys[]] | unique | join(", ")\'',
    output: ['department, isActive, role, userId'],
    exitCodes: '0',
  },
  'domain status': {
    purpose: 'Print the records to add for domains that are not ready.',
    command:
      'orgadm domain status pending.example.com trust.example.com --sandbox --json | jq -r \'.[] | select(.state != "ready") | .verification[]? | [.type, .domain, .value] | @tsv\'',
    output: [
      'TXT\t_verify.pending.example.com\tdomain-verify=pending.example.com,7f3a9c1e5b',
      'CNAME\tpending.example.com\tcname.hosting.example.net.',
    ],
    exitCodes: `0; 5 if the service does not know a domain; 7 if a domain is not ready (\`--wait\`, \`--exit-status\`); ${REQUEST_CODES}`,
    note: 'Always an array, even for one domain. If the request for a domain fails, its element has `state` `error` and an `error`. If the only domain fails, orgadm prints only the error. With `-o ndjson`, one domain per line.',
  },
  'findings list': {
    purpose: 'Count the open findings by severity.',
    command:
      'orgadm findings list --all --sandbox --json | jq -r \'map(select(.status == "open")) | group_by(.severity)[] | "\\(.[0].severity): \\(length)"\'',
    output: ['critical: 3', 'high: 4', 'low: 4', 'medium: 4'],
    exitCodes: `0; with \`--exit-status\`, 7 if findings remain and 1 if orgadm does not understand the entire response; ${REQUEST_CODES}`,
    note: 'orgadm prints the findings as the service sent them, without the object around them. With `-o ndjson`, one finding, value or field name per line.',
  },
  'auth login': {
    purpose: 'Check that the key was accepted. `ORGADM_BASE_URL` is set, and `key.txt` holds the key.',
    command: "orgadm auth login --key-file key.txt --json | jq '.verified'",
    output: ['true'],
    exitCodes:
      '0; 4 if the service rejects the key; 5 if the base URL leads nowhere; 6 if the service is unreachable or failing',
  },
  'auth status': {
    purpose: 'Print where the key comes from.',
    command: 'orgadm auth status --json | jq -r \'.keyFrom // "no key"\'',
    output: ['no key'],
    exitCodes: '0; 4 if the key is missing or rejected; 6 if the service is unreachable or failing',
    note: 'orgadm prints the document even if the exit code is not 0.',
  },
  'auth logout': {
    purpose: 'Check whether there was a key.',
    command: "orgadm auth logout --json | jq '.removed'",
    output: ['false'],
    exitCodes: '0',
  },
  'config list': {
    purpose: 'Print the base URL of each profile.',
    setup: ['orgadm config set base-url https://api.example.com'],
    command: 'orgadm config list --json | jq -r \'to_entries[] | [.key, .value["base-url"]] | @tsv\'',
    output: ['default\thttps://api.example.com'],
    exitCodes: '0',
    note: 'With `-o ndjson`, `{"profile","name","value"}` per line, with `--effective` one setting per line.',
  },
  'config set': {
    purpose: 'Print the setting that was changed.',
    command: "orgadm config set retries 7 --json | jq -r '.name'",
    output: ['retries'],
    exitCodes: '0',
  },
  'config unset': {
    purpose: 'Print the settings that were removed.',
    setup: ['orgadm config set retries 7'],
    command: "orgadm config unset timeout retries --json | jq -r '.removed[]'",
    output: ['retries'],
    exitCodes: '0',
  },
  'sandbox serve': {
    purpose: 'Check that the sandbox, which ends after five seconds here, listens on loopback.',
    command: 'timeout 2 orgadm sandbox serve --json | jq \'.url | startswith("http://127.0.0.1:")\'',
    output: ['true'],
    exitCodes: '130, 143 or 129, by the signal that ends it',
  },
  'sandbox reset': {
    purpose: 'Print the name of the file that was removed.',
    command: 'orgadm sandbox reset --json | jq -r \'.file | split("/") | last\'',
    output: ['sandbox.json'],
    exitCodes: '0',
  },
  version: {
    purpose: 'Read the major version.',
    command: 'orgadm version --json | jq -r \'.version | split(".")[0]\'',
    output: ['0'],
    exitCodes: '0',
  },
  schema: {
    purpose: 'Check that there is a schema for a command.',
    command: 'orgadm schema --list --json | jq \'.schemas | index("people bulk-add") != null\'',
    output: ['true'],
    exitCodes: '0; 2 if the schema does not exist',
    note: 'This is what `orgadm schema` prints without a command. With `-o ndjson`, one name per line.',
  },
  doctor: {
    purpose: 'Read one check.',
    command: 'orgadm doctor --sandbox --json | jq -r \'.checks[] | select(.check == "service") | .state\'',
    output: ['ok'],
    exitCodes: '0, also with warnings; 1 if a check failed',
    note: 'With `-o ndjson`, one check per line; the last line is an object with all other fields.',
  },
  mapping: {
    purpose: 'Write a mapping file and read what it maps.',
    setup: [`${ADD} --dry-run --map isActive='!isActive' --save-mapping mapping.json > /dev/null`],
    command: "jq -r '.columns.isActive' mapping.json",
    output: ['!isActive'],
    exitCodes: '2 from `people bulk-add --mapping` if the file is not valid',
  },
  error: {
    purpose: 'Print the code of an error, so that a script can act on it.',
    command: "orgadm role update rol_none --name Auditor --sandbox --json 2>&1 > /dev/null | jq -r '.error.code'",
    output: ['not-found'],
    exitCodes: 'that of the command that failed',
    note: 'The error is the last line of standard error. Warnings and notes are text, and come before it. `--quiet` leaves out the notes. Only the other formats print the line that names the target (`Importing …`).',
  },
};
