/** The parts of docs/json.md about a document that its schema does not have. */
export interface JsonRecipe {
  /** What the document is, for the list of documents. */
  document: string;
  /** The task that the recipe solves. */
  purpose: string;
  /** Commands to run first. */
  setup?: readonly string[];
  /** Pipes the JSON into jq. */
  command: string;
  /** The lines that the recipe prints. */
  output: readonly string[];
  /** When the command has which exit code, apart from those that all commands have. */
  exitCodes: Readonly<Record<number, string>>;
  /** Facts about this command alone: other formats, or when it prints nothing. */
  note?: string;
}

const REQUEST_CODES = {
  1: 'if the service rejects the request',
  4: 'if the key is missing or rejected',
  6: 'if the service is unreachable or failing',
};
const ADD = 'orgadm people bulk-add examples/members.csv --sandbox';

/** A recipe for each schema. They work as they are in a directory with the examples of the package. */
export const JSON_RECIPES: Readonly<Record<string, JsonRecipe>> = {
  'role update': {
    document: 'the role as the service stored it',
    purpose: 'Count the values that the service stored differently from what orgadm sent.',
    command: "orgadm role update rol_custom_1 --permission control=read --sandbox --json | jq '.mismatches | length'",
    output: ['0'],
    exitCodes: { ...REQUEST_CODES, 0: '', 3: 'if there are mismatches', 5: 'if the role does not exist' },
  },
  'people bulk-add': {
    document: 'the report of an import, also of `runs show` and `runs resume`',
    purpose: 'List the rows that were not created, with the reason.',
    command: `${ADD} --json | jq -r '.rows[] | "line \\(.line): \\(.userId) \\(.state)"'`,
    output: ['line 6: usr_0003 existing'],
    exitCodes: {
      ...REQUEST_CODES,
      0: 'if the service added every row (with `--ignore-existing`, also if people were members already)',
      2: 'if the list is invalid',
      3: 'if rows were not added or have an unknown outcome, or if the service stored something other than what orgadm sent',
    },
    note: 'With `-o ndjson`, orgadm prints one row per line. The last line is an object with all other fields.',
  },
  'runs list': {
    document: 'the import runs',
    purpose: 'Print the list, the state, and the number of created rows of each run.',
    setup: [`${ADD} > /dev/null`],
    command: "orgadm runs list --json | jq -r '.[] | [.list, .state, .summary.created] | @tsv'",
    output: ['examples/members.csv\tfinished\t12'],
    exitCodes: { 0: '' },
    note: 'With `-o ndjson`, orgadm prints one run per line.',
  },
  'domain status': {
    document: 'the state of each domain',
    purpose: 'Print the records to add for domains that are not ready.',
    command:
      'orgadm domain status pending.example.com trust.example.com --sandbox --json | jq -r \'.[] | select(.state != "ready") | .verification[]? | [.type, .domain, .value] | @tsv\'',
    output: [
      'TXT\t_verify.pending.example.com\tdomain-verify=pending.example.com,7f3a9c1e5b',
      'CNAME\tpending.example.com\tcname.hosting.example.net.',
    ],
    exitCodes: {
      ...REQUEST_CODES,
      0: '',
      1: 'if the service rejects the request, or if orgadm does not understand the entire response (`--wait`, `--exit-status`)',
      5: 'if the service does not know a domain',
      7: 'if a domain is not ready (`--wait`, `--exit-status`)',
    },
    note: 'The output is always an array, even for one domain. If the request for a domain fails, its element has `state` `error` and an `error`. If the only domain fails, orgadm prints only the error. With `-o ndjson`, orgadm prints one domain per line.',
  },
  'findings list': {
    document: 'the findings as the service sent them',
    purpose: 'Count the open findings by severity.',
    command:
      'orgadm findings list --all --sandbox --json | jq -r \'map(select(.status == "open")) | group_by(.severity)[] | "\\(.[0].severity): \\(length)"\'',
    output: ['critical: 3', 'high: 4', 'low: 4', 'medium: 4'],
    exitCodes: {
      ...REQUEST_CODES,
      0: '',
      1: 'if the service rejects the request, or if orgadm does not understand the entire response (`--exit-status`)',
      7: 'if findings remain (`--exit-status`)',
    },
    note: 'orgadm leaves out the object around the findings. With `-o ndjson`, it prints one finding per line.',
  },
  error: {
    document: 'an error of any command',
    purpose: 'Print the code of an error, so that a script can act on it.',
    command: "orgadm role update rol_none --name Auditor --sandbox --json 2>&1 > /dev/null | jq -r '.error.code'",
    output: ['not-found'],
    exitCodes: {},
    note: 'The exit code is that of the command that failed. The error is the last line of standard error. Warnings and notes are text, and come before it. `--quiet` leaves out the notes.',
  },
};
