import { readdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** The code that decides about people's rows, success, and output, and the unit tests that have to notice its mutants. */
export const MUTATION_AREAS = {
  responses: {
    mutate: ['src/import/send/response/{reconcile,match-errors,row-messages,already-member,compare-stored}.ts'],
    tests: [
      'test/commands/people/stored-values.test.ts',
      'test/import/send/response/{reconcile,row-messages,already-member}.test.ts',
    ],
  },
  failures: {
    mutate: ['src/import/send/response/classify-error.ts'],
    tests: ['test/import/send/response/classify-error.test.ts'],
  },
  retries: {
    mutate: ['src/client/http/retry.ts'],
    tests: [
      'test/commands/{key-outage,rate-limits,retries}.test.ts',
      'test/commands/role/update.test.ts',
      'test/field/gateways.test.ts',
    ],
  },
  outages: {
    mutate: ['src/client/{read-before-write,http/outage}.ts'],
    tests: [
      'test/client/service-client.test.ts',
      'test/commands/{key-outage,progress-log,retries}.test.ts',
      'test/field/gateways.test.ts',
      'test/commands/people/read-before-write.test.ts',
      'test/import/send/rate-limits.test.ts',
    ],
  },
  headers: {
    mutate: ['src/client/http/rate-limit-headers.ts'],
    tests: ['test/client/http/rate-limit-headers.test.ts'],
  },
  findings: {
    mutate: [
      'src/commands/findings/{findings-gate,finding-filter}.ts',
      'src/commands/{doubt-findings,unknown-fields}.ts',
    ],
    tests: ['test/commands/findings/{gate,finding-filter,finding-selector,list}.test.ts', 'test/field/gates.test.ts'],
  },
  scanner: {
    mutate: ['src/util/json/{list-scanner,parse-json}.ts'],
    tests: ['test/util/json/{list-scanner,parse-json}.test.ts'],
  },
  pace: {
    mutate: ['src/import/send/pace.ts'],
    tests: [
      'test/commands/{key-outage,progress-log}.test.ts',
      'test/import/send/{pace,rate-limits,unknown-outcomes}.test.ts',
    ],
  },
  sending: {
    mutate: [
      'src/import/send/{send,batch,consequences,delivery,confirmation,service-condition,list-batches,batch-size,first-batch-rejected}.ts',
    ],
    tests: [
      'test/commands/{key-outage,progress-log}.test.ts',
      'test/commands/people/{bulk-add,bulk-rejected,bulk-responses,errors-file,import-progress}.test.ts',
      'test/commands/people/{read-before-write,run-again,setting-hints,stored-values}.test.ts',
      'test/commands/runs/{resume,show}.test.ts',
      'test/import/journal/lifetimes.test.ts',
      'test/import/send/{rate-limits,rejected-batches,schedules,unknown-outcomes}.test.ts',
    ],
  },
  journal: {
    mutate: ['src/import/journal/{run-state,outcome-record,in-flight,import-run,plan-run}.ts', 'src/util/moment.ts'],
    tests: [
      'test/commands/confirmation.test.ts',
      'test/commands/people/{bulk-responses,first-import,run-again,stored-values}.test.ts',
      'test/commands/runs/{list,other-key,resume,show}.test.ts',
      'test/import/journal/*.test.ts',
      'test/import/send/{rejected-batches,schedules,unknown-outcomes}.test.ts',
      'test/util/moment.test.ts',
    ],
  },
  locks: {
    mutate: ['src/util/file-lock.ts'],
    tests: ['test/util/file-lock.test.ts'],
  },
  settings: {
    mutate: ['src/config/{settings,setting-sources,setting-table,origin,keys,profiles}.ts'],
    tests: [
      'test/cli/{global-options,option-combinations}.test.ts',
      'test/config/*.test.ts',
      'test/commands/config/config.test.ts',
      'test/commands/auth/{key-command,login,status}.test.ts',
      'test/field/keys.test.ts',
    ],
  },
  lists: {
    mutate: [
      'src/commands/people/missing-options.ts',
      'src/import/list/sample-columns.ts',
      'src/import/list/columns/{bind-keys,binder,decisions,describe-columns,json-binder,table-binder,unread-columns}.ts',
      'src/import/list/csv/*.ts',
      'src/import/list/fields/{bind-fields,damaged-text,field-value}.ts',
      'src/import/list/rows/{member-builder,row-reader,row-shape}.ts',
    ],
    tests: [
      'test/commands/people/{ask-mapping,dry-run,export-layouts,lookup}.test.ts',
      'test/commands/import/errors-file.test.ts',
      'test/import/list/{csv-columns,csv,decisions,field-rules,json,layouts,mapping,round-trip,spreadsheet}.test.ts',
      'test/field/{dialog,errors-files,formats,people,statuses,workbooks}.test.ts',
    ],
  },
  json: {
    mutate: ['src/import/list/json/*.ts', 'src/import/list/fields/number-token.ts'],
    tests: [
      'test/commands/import/errors-file.test.ts',
      'test/import/list/{decisions,json,layouts,mapping}.test.ts',
      'test/field/formats.test.ts',
    ],
  },
  lookups: {
    mutate: ['src/import/list/load-lookup.ts', 'src/import/list/fields/lookup-table.ts'],
    tests: [
      'test/commands/people/lookup.test.ts',
      'test/field/people.test.ts',
      'test/import/list/workbook-cells.test.ts',
    ],
  },
  gates: {
    mutate: ['src/client/gates.ts', 'src/commands/verify-key.ts', 'src/commands/domain/domain-gate.ts'],
    tests: [
      'test/client/gates.test.ts',
      'test/commands/auth/{login,status}.test.ts',
      'test/commands/domain/gate.test.ts',
      'test/field/{gates,keys}.test.ts',
    ],
  },
  output: {
    mutate: ['src/output/{text,blocks,table,text-width,print-records,json-writer,error-text}.ts'],
    tests: [
      'test/cli/terminal-output.test.ts',
      'test/commands/{api/api,config/config,domain/print-status,domain/status,every-format,role/print-role}.test.ts',
      'test/commands/findings/{finding-columns,list}.test.ts',
      'test/commands/people/print-report.test.ts',
      'test/commands/runs/{list,show}.test.ts',
      'test/output/*.test.ts',
    ],
  },
};

const area = process.env.AREA;
if (area !== undefined && !(area in MUTATION_AREAS))
  throw new Error(`AREA must be one of: ${Object.keys(MUTATION_AREAS).join(', ')}`);

/** The areas to test: all of them, or the one that the environment variable `AREA` names. */
export const chosenAreas = Object.entries(MUTATION_AREAS)
  .filter(([name]) => area === undefined || name === area)
  .map(([, files]) => files);

/** The paths of the mutated files. */
export const mutatedFiles = chosenAreas.flatMap(({ mutate }) => mutate.flatMap(filesOf));

/** Lines that are sampled together. */
const BLOCK_LINES = 10;

/** What Stryker mutates: the files, or, with the environment variable `SHARE`, a random share of their lines, which `SEED` repeats. */
export const mutatedParts = process.env.SHARE === undefined ? mutatedFiles : sampleLines(Number(process.env.SHARE));

/** Returns about `share` (from 0 to 1) of the blocks of lines of all files, as `src/main.ts:11-20`. */
function sampleLines(share) {
  const draw = randomNumbers(Number(process.env.SEED ?? 1));
  return mutatedFiles.flatMap((file) => {
    const lines = readFileSync(file, 'utf8').split('\n').length;
    const starts = Array.from({ length: Math.ceil(lines / BLOCK_LINES) }, (_, at) => at * BLOCK_LINES + 1);
    return starts.filter(() => draw() < share).map((start) => `${file}:${start}-${start + BLOCK_LINES - 1}`);
  });
}

/** Returns a function that returns numbers from 0 to 1. */
function randomNumbers(seed) {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

/** Returns the files that a pattern with names in braces, or with `*` for all files of a folder, stands for. */
function filesOf(pattern) {
  const [, before, names, after] = /^(.*)\{(.*)\}(.*)$/.exec(pattern) ?? [];
  if (names !== undefined) return names.split(',').map((name) => before + name + after);
  if (!pattern.endsWith('/*.ts')) return [pattern];
  return readdirSync(dirname(pattern)).map((name) => `${dirname(pattern)}/${name}`);
}
