import { Option } from 'commander';
import type { ListedFinding } from '../../client/list-findings.ts';
import type { ServiceClient } from '../../client/service.ts';
import type { Output } from '../../output/output.ts';
import { EXIT, OrgadmError } from '../../util/errors.ts';
import { EVIDENCE_FORM_TYPES, PEOPLE_SCOPES } from '../../util/interface-values.ts';
import { formatCount } from '../../util/units.ts';
import { type Context, profileOption } from '../command-context.ts';
import { choiceOption } from '../define-command.ts';
import type { HelpText, OrgadmCommand } from '../orgadm-command.ts';
import type { Doubt } from '../unknown-fields.ts';
import { keepsAll } from './finding-check.ts';
import { createFilters, type FilterFlags } from './finding-filter.ts';
import { explainRejectedSelector, readSelector, type Selector, type SelectorFlags } from './finding-selector.ts';
import { rejectDoubts, responseCheck, selectorCheck } from './findings-gate.ts';
import { printFindings } from './print-findings.ts';
import { SEVERITIES } from './value-ranks.ts';

interface FindingsListOptions extends SelectorFlags, FilterFlags {
  exitStatus?: boolean;
}

const HELP: HelpText = {
  examples: [
    'orgadm findings list --task tsk_0001 --sandbox',
    'orgadm findings list --scope people_devices --min-severity high --sandbox',
    "orgadm findings list --all --jq 'map(.task.title)' --sandbox",
    'orgadm findings list --all --jq length --sandbox',
    'orgadm findings list --all --status open --exit-status --sandbox',
    'orgadm findings list --scope people -o csv --sandbox > findings.csv',
  ],
  notes: [
    'Pass exactly one selector. orgadm warns about findings that may not match it, because a service may ignore a ' +
      'selector that it does not know. Form types that orgadm does not know are sent, unless you pass --exit-status.',
    'A table begins with the most severe findings, then the newest. csv has all fields of the first 1,000 findings.',
    'orgadm itself filters, and ignores case. Findings without a known severity remain. With --exit-status, so do ' +
      'findings with a status that orgadm does not know.',
    'With --exit-status, orgadm exits 7 if any findings remain, and 0 if none do. It exits 1 unless it understands ' +
      'the entire response: status 200 with one array of findings and, next to it, only a correct count, ' +
      '"success": true, what is empty, and what wire.findings.ignore names.',
    'JSON output: always the array of findings, without the envelope of the response. ' +
      'ndjson: one finding per line, exactly as the service sent it.',
  ],
};

/** Registers `findings list` under the noun `findings`. */
export default function registerFindingsList(command: OrgadmCommand, context: () => Context): void {
  command.helpText = HELP;
  command
    .description('List the findings of a task, an evidence submission, an evidence form type, or a people-area scope.')
    .option('--task <id>', 'findings of a task')
    .option('--evidence-submission <id>', 'findings of an evidence submission')
    .addOption(choiceOption('--evidence-form-type <type>', 'findings of a form type', EVIDENCE_FORM_TYPES))
    .addOption(choiceOption('--scope <scope>', 'findings of a people-area scope', PEOPLE_SCOPES))
    .option('--all', 'send no query parameter, and list whatever the service returns')
    .addOption(new Option('--status <list>', 'only findings with one of these statuses: open,needs_revision'))
    .addOption(choiceOption('--min-severity <level>', 'only findings at least this severe', SEVERITIES))
    .option('--exit-status', 'exit 7 if any findings remain, 0 if none do')
    .action((options: FindingsListOptions) => runFindingsList(options, context()));
}

/** Lists findings in the output's format, and reports each reason to doubt the response. */
async function runFindingsList(options: FindingsListOptions, context: Context): Promise<void> {
  const { output } = context;
  // Rejects bad values before anything is sent. Each attempt has filters of its own.
  createFilters(options);
  const { findings: names } = (await context.settings()).wire;
  const selector = readSelector(options, names);
  if (selector?.isUnknown) {
    output.note(
      `orgadm does not know the form type "${selector.value}". If your service does not know it either, the list may be empty or have other findings.`,
    );
  }
  const client = await context.service();
  let hasPrinted = false;
  const onPrint = () => {
    hasPrinted = true;
  };
  const parameter = selector && names[selector.kind];
  const profile = await profileOption(context);
  const request = { selector, parameter, ignored: names.ignore, profile, onPrint };
  const { total, left, warnings, doubts } = await printOnce(request, options, client, output).catch(
    (error: unknown) => {
      throw explainRejectedSelector(error, selector, parameter, profile);
    },
  );

  const { exitStatus } = options;
  // The reader has exited, as head does, and the rest was not counted.
  if (output.closed && hasPrinted) return endEarly(exitStatus, left, context);
  if (total === 0 && doubts.length === 0 && selector !== undefined) noteNothing(selector, output);
  if (total > left) output.note(`the filters dropped ${formatCount(total - left)} of ${formatCount(total)} findings`);
  for (const warning of warnings) output.warn(warning);
  if (exitStatus && left === 0) rejectDoubts(doubts);
  for (const { message, hint } of doubts) output.warn(`${message}. ${hint}`);
  if (!exitStatus || left === 0) return;
  output.note(`${formatCount(left)} ${left === 1 ? 'finding remains' : 'findings remain'} (exit ${EXIT.checkFailed})`);
  context.exitCode = EXIT.checkFailed;
}

/** @throws OrgadmError for a gate that has seen no finding so far: there may be some in the rest of the list */
function endEarly(exitStatus: boolean | undefined, left: number, context: Context): void {
  if (!exitStatus) return;
  if (left > 0) context.exitCode = EXIT.checkFailed;
  else {
    throw new OrgadmError('output-failed', EXIT.failure, 'the reader of the output exited before the end of the list', {
      hint: 'Without the entire list, --exit-status cannot pass. Write the output to a file.',
    });
  }
}

interface FindingsRequest {
  selector: Selector | undefined;
  /** The service's name of the query parameter. */
  parameter: string | undefined;
  /** What to ignore next to the list (`wire.findings.ignore`). */
  ignored: readonly string[];
  /** See `profileOption`. */
  profile: string;
  /** Called before anything is printed while findings may still arrive. */
  onPrint: () => void;
}

/** Requests findings once, and prints those that pass the filters. Returns what the response as a whole shows. */
async function printOnce(
  { selector, parameter, ignored, profile, onPrint }: FindingsRequest,
  options: FindingsListOptions,
  client: ServiceClient,
  output: Output,
): Promise<{ total: number; left: number; warnings: string[]; doubts: Doubt[] }> {
  const { listFindings } = await import('../../client/list-findings.ts');
  const query = selector && parameter !== undefined ? { name: parameter, value: selector.value } : undefined;
  const response = await listFindings(client, query);
  const checks = [
    ...createFilters(options),
    ...(selector === undefined ? [] : [selectorCheck(selector, parameter ?? '', profile)]),
    responseCheck(response, ignored, profile),
  ];
  const warnings: string[] = [];
  const doubts: Doubt[] = [];
  let total = 0;
  let left = 0;
  /** Checks each finding and yields those that pass the filters. What it throws at the end precedes any JSON or table. */
  async function* remainingFindings(): AsyncGenerator<readonly ListedFinding[]> {
    for await (const group of response.groups) {
      const kept = group.filter((finding) => keepsAll(checks, finding));
      total += group.length;
      left += kept.length;
      if (kept.length > 0) yield kept;
    }
    for (const check of checks) {
      const remarks = check.remarks();
      warnings.push(...(remarks.warnings ?? []));
      doubts.push(...(remarks.doubts ?? []));
    }
  }
  await printFindings(remainingFindings(), output, onPrint);
  return { total, left, warnings, doubts };
}

/** Says that a task or a submission for which a service returns nothing may not exist: services differ on whether that is an error. */
function noteNothing({ kind, value }: Selector, output: Output): void {
  const noun = { task: 'task', evidenceSubmission: 'evidence submission' }[String(kind)];
  if (noun !== undefined) output.note(`the service has no findings for the ${noun} ${value}, or no such ${noun}`);
}
