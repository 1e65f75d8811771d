import { DEFAULT_FIELD_NAMES } from '../../config/field-name-settings.ts';
import type { FieldNames } from '../../config/settings.ts';
import { UsageError } from '../../util/errors.ts';
import { choiceParser } from '../option-parsers.ts';
import { SELECTABLE_FORM_TYPES, SELECTABLE_SCOPES } from './selectors.ts';

export interface SelectorFlags {
  task?: string;
  evidenceSubmission?: string;
  evidenceFormType?: string;
  scope?: string;
  all?: boolean;
}

/** What findings are asked for: one of the four selectors of interface 4.4. */
export interface Selector {
  kind: keyof FieldNames['findings'];
  value: string;
}

const FLAGS = '--task, --evidence-submission, --evidence-form-type, --scope or --all';

/**
 * Reads the selector flags: exactly one of them. The values of a form type or scope are open where a setting renames
 * the parameter: such a service has its own.
 *
 * @param names the parameter names in effect
 * @returns undefined for --all
 * @throws UsageError, which lists the allowed values of a form type or scope
 */
export function readSelector(flags: SelectorFlags, names: FieldNames['findings']): Selector | undefined {
  const selectors: Selector[] = [];
  if (flags.task !== undefined) selectors.push({ kind: 'task', value: notBlank(flags.task, '--task') });
  if (flags.evidenceSubmission !== undefined) {
    selectors.push({ kind: 'evidenceSubmission', value: notBlank(flags.evidenceSubmission, '--evidence-submission') });
  }
  const checked = (kind: 'evidenceFormType' | 'scope', value: string, flag: string, allowed: readonly string[]) =>
    names[kind] === DEFAULT_FIELD_NAMES.findings[kind] ? choiceParser(value, flag, allowed) : notBlank(value, flag);
  if (flags.evidenceFormType !== undefined) {
    const value = checked('evidenceFormType', flags.evidenceFormType, '--evidence-form-type', SELECTABLE_FORM_TYPES);
    selectors.push({ kind: 'evidenceFormType', value });
  }
  if (flags.scope !== undefined) {
    selectors.push({ kind: 'scope', value: checked('scope', flags.scope, '--scope', SELECTABLE_SCOPES) });
  }

  const count = selectors.length + (flags.all ? 1 : 0);
  if (count === 0) throw new UsageError('no selector', `Give one of ${FLAGS}.`);
  if (count > 1) throw new UsageError(`${count} selectors, where one is taken`, `Give only one of ${FLAGS}.`);
  return selectors[0];
}

function notBlank(value: string, flag: string): string {
  if (value.trim() === '') throw new UsageError(`${flag}: the identifier is blank`);
  return value;
}
