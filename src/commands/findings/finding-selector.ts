import { SETTINGS } from '../../config/settings.ts';
import type { FieldNames } from '../../config/target.ts';
import { OrgadmError, UsageError, withHint } from '../../util/errors.ts';
import { EVIDENCE_FORM_TYPES, PEOPLE_SCOPES } from '../../util/interface-values.ts';
import { notAllowedError } from '../../util/unknown-name.ts';
import { checkIdentifier } from '../identifier.ts';

/** One of the four selectors of interface 4.4. */
export interface Selector {
  kind: SelectorKind;
  value: string;
  /** Whether orgadm does not know the value, although it knows others; the service may. */
  isUnknown?: boolean;
}

type SelectorKind = Exclude<keyof FieldNames['findings'], 'ignore'>;

export interface SelectorFlags extends Partial<Record<SelectorKind, string>> {
  all?: boolean;
  /** The exit code depends on the findings: an unknown value, for which a service returns none, must not pass. */
  exitStatus?: boolean;
}

interface SelectorDefinition {
  flag: string;
  /** The values that the interface lists. */
  known?: readonly string[];
  /** Whether newer services have more values than the interface lists. */
  mayHaveMore?: boolean;
  /** Fields of a finding that identify what it belongs to, the usual one first. */
  fields: readonly string[];
}

const SELECTORS: Readonly<Record<SelectorKind, SelectorDefinition>> = {
  task: { flag: '--task', fields: ['taskId', 'task.id'] },
  evidenceSubmission: {
    flag: '--evidence-submission',
    fields: ['evidenceSubmissionId', 'evidenceSubmission.id'],
  },
  evidenceFormType: {
    flag: '--evidence-form-type',
    known: EVIDENCE_FORM_TYPES,
    mayHaveMore: true,
    fields: ['evidenceFormType'],
  },
  scope: { flag: '--scope', known: PEOPLE_SCOPES, fields: ['scope'] },
};

const KINDS = Object.keys(SELECTORS) as SelectorKind[];

/** Returns the names of the fields that show that a finding belongs to a selector, dotted, the usual one first. */
export function selectorFields({ kind }: Selector): readonly string[] {
  return SELECTORS[kind].fields;
}

/**
 * Reads the selector flags, of which exactly one is required. If a setting renames the parameter of a form type or scope, any
 * value is accepted, because such a service has its own. A form type may also be unknown, but not that of a gate.
 *
 * @param names the parameter names in effect
 * @returns undefined for --all
 * @throws UsageError, which lists the known values of a form type or scope
 */
export function readSelector(flags: SelectorFlags, names: FieldNames['findings']): Selector | undefined {
  const selectors: Selector[] = [];
  for (const kind of KINDS) {
    const value = flags[kind];
    if (value === undefined) continue;
    const { flag, known, mayHaveMore = false } = SELECTORS[kind];
    checkIdentifier(value, flag);
    const isRenamed = names[kind] !== SETTINGS[`wire.findings.${kind}`].default;
    const isUnknown = known !== undefined && !isRenamed && !known.includes(value);
    if (isUnknown && !mayHaveMore) throw notAllowedError(value, flag, known);
    if (isUnknown && flags.exitStatus) {
      const message = `${flag}: orgadm does not know "${value}", so --exit-status could pass by mistake`;
      throw new UsageError(message, `Known: ${known.join(', ')}.`);
    }
    selectors.push({ kind, value, isUnknown });
  }
  const count = selectors.length + (flags.all ? 1 : 0);
  if (count === 1) return selectors[0];
  const message = count === 0 ? 'specify which findings to list' : `${count} selectors, but only one is allowed`;
  throw new UsageError(message, 'Pass one of --task, --evidence-submission, --evidence-form-type, --scope, or --all.');
}

/**
 * Adds to the hint of a 400 or 422 that the value may be wrong, that the service may use another name for the parameter, which
 * the interface does not fix (4.4), or that it may require a selector. Returns any other error unchanged.
 */
export function explainRejectedSelector(
  error: unknown,
  selector: Selector | undefined,
  parameter: string | undefined,
  profile: string,
): unknown {
  if (!(error instanceof OrgadmError) || (error.status !== 400 && error.status !== 422)) return error;
  return withHint(error, [error.hint, remedyFor(error, selector, parameter, profile)].filter(Boolean).join(' '));
}

function remedyFor(
  { message }: OrgadmError,
  selector: Selector | undefined,
  parameter: string | undefined,
  profile: string,
): string {
  if (selector === undefined)
    return 'This service may require a selector. Pass --task, --evidence-submission, --evidence-form-type, or --scope.';
  const { flag } = SELECTORS[selector.kind];
  // A service that repeats the value has read the parameter.
  if (message.includes(selector.value)) return `Check the value of ${flag}.`;
  return (
    `Check the value of ${flag}, which orgadm sent as ${parameter}. If your service uses a different name for the parameter, run: ` +
    `orgadm config set wire.findings.${selector.kind} <name>${profile}`
  );
}
