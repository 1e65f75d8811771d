import { Option } from 'commander';
import { describeDoubts, isDoubtful } from '../../client/gate.ts';
import type { FindingsResponse } from '../../client/operations.ts';
import type { Output } from '../../output/output.ts';
import { EXIT, OrgadmError } from '../../util/errors.ts';
import { EVIDENCE_FORM_TYPES, PEOPLE_SCOPES } from '../../util/interface-values.ts';
import { formatCount } from '../../util/units.ts';
import { type Context, profileOption } from '../command-context.ts';
import { choiceOption } from '../define-command.ts';
import type { HelpText, OrgadmCommand } from '../orgadm-command.ts';
import { applyFilters, type FilterFlags, filterWarnings, readFilters } from './finding-filter.ts';
import { explainRejectedSelector, readSelector, type Selector, type SelectorFlags } from './finding-selector.ts';
import { doubtFindings, doubtSelection } from './findings-gate.ts';
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
    'Pass exactly one selector. Form types that orgadm does not know are sent, unless you pass --exit-status.',
    'A table begins with the most severe findings, then the newest. csv has all fields. ' +
      'orgadm reads a response of up to 64 MiB before it prints anything.',
    'orgadm itself filters, and ignores case. A finding whose severity it does not know remains.',
    'With --exit-status, orgadm fails unless the response is complete and unambiguous (docs/ci.md). A finding whose ' +
      'status it does not know remains.',
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
  const { exitStatus = false } = options;
  const filters = readFilters(options);
  const { findings: names } = (await context.settings()).wire;
  const selector = readSelector(options, names);
  if (selector?.isUnknown) {
    output.note(
      `orgadm does not know the form type "${selector.value}". If your service does not know it either, the list may be empty or contain other findings.`,
    );
  }
  const parameter = selector && names[selector.kind];
  const query = selector && parameter !== undefined ? { name: parameter, value: selector.value } : undefined;
  const profile = await profileOption(context);
  const { listFindings } = await import('../../client/operations.ts');
  const response = await listFindings(await context.service(), query).catch((error: unknown) => {
    throw explainRejectedSelector(error, selector, parameter, profile);
  });

  const { findings } = response;
  const kept = applyFilters(findings, filters);
  const warnings = filters.flatMap((filter) => filterWarnings(filter, findings, kept, exitStatus));
  await printFindings(response, kept, output);
  const doubt = describeFindingsDoubts(response, { selector, parameter, ignored: names.ignore, profile });
  if (findings.length === 0 && doubt === undefined && selector !== undefined) noteNothing(selector, output);
  if (kept.length < findings.length)
    output.note(`${formatCount(kept.length)} of ${formatCount(findings.length)} findings match`);
  for (const warning of warnings) output.warn(warning);
  if (doubt !== undefined && exitStatus && kept.length === 0) {
    const message = `no findings remain, but the list may be wrong: ${doubt.message}`;
    throw new OrgadmError('incomplete-list', EXIT.failure, message, { hint: doubt.hint });
  }
  if (doubt !== undefined) output.warn(`${doubt.message}. ${doubt.hint}`);
  if (!exitStatus || kept.length === 0) return;
  output.note(
    `${formatCount(kept.length)} ${kept.length === 1 ? 'finding remains' : 'findings remain'} (exit ${EXIT.checkFailed})`,
  );
  context.exitCode = EXIT.checkFailed;
}

interface FindingsRequest {
  readonly selector: Selector | undefined;
  /** The service's name of the query parameter. */
  readonly parameter: string | undefined;
  /** What to ignore next to the list (`wire.findings.ignore`). */
  readonly ignored: readonly string[];
  /** See `profileOption`. */
  readonly profile: string;
}

/** Describes the doubts about a response, and what to do about them. Returns undefined if there are none. */
function describeFindingsDoubts(
  response: FindingsResponse,
  { selector, parameter = '', ignored, profile }: FindingsRequest,
): { message: string; hint: string } | undefined {
  const doubts = doubtFindings(response, ignored);
  const selection = selector && doubtSelection(response, selector, parameter);
  if (!isDoubtful(doubts) && selection === undefined) return undefined;
  const setting = { name: 'wire.findings.ignore', ignored, meaning: 'findings are missing', profile };
  const { message, hint } = isDoubtful(doubts) ? describeDoubts(doubts, setting) : { message: '', hint: '' };
  const rename = `If the service uses a different name for the parameter, run: orgadm config set wire.findings.${selector?.kind} <name>${profile}`;
  return {
    message: [selection, message].filter(Boolean).join('; '),
    hint: [selection && rename, hint].filter(Boolean).join('\n'),
  };
}

/** Says that a task or a submission for which a service returns nothing may not exist: services differ on whether that is an error. */
function noteNothing({ kind, value }: Selector, output: Output): void {
  const noun = { task: 'task', evidenceSubmission: 'evidence submission' }[String(kind)];
  if (noun !== undefined) output.note(`the service has no findings for the ${noun} ${value}, or no such ${noun}`);
}
