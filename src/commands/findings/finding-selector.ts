import { EVIDENCE_FORM_TYPES, PEOPLE_SCOPES } from '../../client/interface-values.ts';
import { SETTINGS } from '../../config/setting-table.ts';
import type { FieldNames } from '../../config/settings.ts';
import { OrgadmError, UsageError, withHint } from '../../util/errors.ts';
import { choiceParser } from '../define-command.ts';

/** One of the four selectors of interface 4.4. */
export interface Selector {
  kind: SelectorKind;
  value: string;
}

type SelectorKind = Exclude<keyof FieldNames['findings'], 'ignore'>;

export interface SelectorFlags extends Partial<Record<SelectorKind, string>> {
  all?: boolean;
}

interface SelectorDefinition {
  flag: string;
  /** The values that the interface lists. */
  allowed?: readonly string[];
  /** Fields of a finding that identify what it belongs to, the usual one first. */
  fields: readonly string[];
}

const SELECTORS: Readonly<Record<SelectorKind, SelectorDefinition>> = {
  task: { flag: '--task', fields: ['taskId', 'task.id', 'task_id'] },
  evidenceSubmission: {
    flag: '--evidence-submission',
    fields: ['evidenceSubmissionId', 'evidenceSubmission.id', 'evidence_submission_id'],
  },
  evidenceFormType: {
    flag: '--evidence-form-type',
    allowed: EVIDENCE_FORM_TYPES,
    fields: ['evidenceFormType', 'evidence_form_type'],
  },
  scope: { flag: '--scope', allowed: PEOPLE_SCOPES, fields: ['scope'] },
};
const KINDS = Object.keys(SELECTORS) as SelectorKind[];

/** Returns the names of the fields that show that a finding belongs to a selector, dotted, the usual one first. */
export function selectorFields({ kind }: Selector): readonly string[] {
  return SELECTORS[kind].fields;
}

/**
 * Reads the selector flags, of which exactly one is required. If a setting renames the parameter of a form type or scope, any
 * value is accepted, because such a service has its own.
 *
 * @param names the parameter names in effect
 * @returns undefined for --all
 * @throws UsageError, which lists the allowed values of a form type or scope
 */
export function readSelector(flags: SelectorFlags, names: FieldNames['findings']): Selector | undefined {
  const selectors: Selector[] = [];
  for (const kind of KINDS) {
    const value = flags[kind];
    if (value === undefined) continue;
    const { flag, allowed } = SELECTORS[kind];
    const isRenamed = names[kind] !== SETTINGS[`wire.findings.${kind}`].default;
    if (allowed !== undefined && !isRenamed) choiceParser(value, flag, allowed);
    if (value.trim() === '') throw new UsageError(`${flag}: the identifier is blank`);
    selectors.push({ kind, value });
  }
  const count = selectors.length + (flags.all ? 1 : 0);
  if (count === 1) return selectors[0];
  const message = count === 0 ? 'a selector is required' : `${count} selectors, but only one is allowed`;
  throw new UsageError(message, 'Pass one of --task, --evidence-submission, --evidence-form-type, --scope, or --all.');
}

/**
 * Adds to the hint of a 400 or 422 that the service may use another name for the parameter, which the interface does not fix
 * (4.4), or may require a selector. Returns any other error unchanged.
 */
export function explainRejectedSelector(
  error: unknown,
  selector: Selector | undefined,
  parameter: string | undefined,
): unknown {
  if (!(error instanceof OrgadmError) || (error.status !== 400 && error.status !== 422)) return error;
  const remedy =
    selector === undefined
      ? 'This service may require a selector. Pass --task, --evidence-submission, --evidence-form-type, or --scope.'
      : `orgadm sent the parameter as ${parameter}. If your service has another name for it, run: ` +
        `orgadm config set wire.findings.${selector.kind} <name>`;
  return withHint(error, [error.hint, remedy].filter(Boolean).join(' '));
}
