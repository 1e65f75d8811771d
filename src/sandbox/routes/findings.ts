import { type Answer, jsonAnswer, Refusal } from '../answer.ts';
import type { Operation } from '../operation.ts';
import { FINDINGS, type Finding, SUBMISSIONS, TASKS } from '../seed/findings.ts';
import { EVIDENCE_FORM_TYPES, SCOPES } from '../seed/selectors.ts';
import type { Variants } from '../variants.ts';

type Selector = 'taskId' | 'evidenceSubmissionId' | 'evidenceFormType' | 'scope';

/** How each selector refuses a value that it does not know. */
const REFUSE_UNKNOWN: Readonly<Record<Selector, (value: string, variants: Variants) => void>> = {
  taskId: (value, variants) => {
    if (!TASKS.has(value) && variants['unknown-task'] === 'refuse') throw new Refusal(404, `Task ${value} not found`);
  },
  evidenceSubmissionId: (value) => {
    if (!SUBMISSIONS.has(value)) throw new Refusal(404, `Evidence submission ${value} not found`);
  },
  evidenceFormType: (value) => refuseOther('evidenceFormType', value, EVIDENCE_FORM_TYPES),
  scope: (value) => refuseOther('scope', value, SCOPES),
};

const SELECTORS = Object.keys(REFUSE_UNKNOWN) as Selector[];

/** GET /v1/findings (interface 4.4): all findings of one task, submission, form type or scope. */
export const listFindings: Operation = (call, { variants }) => {
  const findings = selectFindings(call.query, variants);
  return () => listAnswer(findings, variants);
};

function selectFindings(query: URLSearchParams, variants: Variants): readonly Finding[] {
  const known = variants['ignore-scope'] === 'yes' ? SELECTORS.filter((name) => name !== 'scope') : SELECTORS;
  const [selector, ...others] = known.filter((name) => query.has(name));
  if (selector === undefined) return withoutSelector(known, variants);
  if (others.length > 0) throw new Refusal(400, `Only one of ${known.join(', ')} may be given`);
  const [value, ...more] = query.getAll(selector);
  if (!value) throw new Refusal(400, [`${selector} should not be empty`]);
  if (more.length > 0) throw new Refusal(400, [`${selector} must be a string`]);
  REFUSE_UNKNOWN[selector](value, variants);
  return FINDINGS.filter((finding) => finding[selector] === value);
}

function withoutSelector(known: readonly Selector[], variants: Variants): readonly Finding[] {
  // A service that does not know a selector cannot tell such a request from one that has none: it answers with all.
  if (variants['no-selector'] === 'all' || variants['ignore-scope'] === 'yes') return FINDINGS;
  throw new Refusal(400, `One of ${known.join(', ')} must be given`);
}

function refuseOther(selector: Selector, value: string, allowed: readonly string[]): void {
  if (allowed.includes(value)) return;
  throw new Refusal(400, [`${selector} must be one of the following values: ${allowed.join(', ')}`]);
}

function listAnswer(findings: readonly Finding[], { envelope }: Variants): Answer {
  const body = envelope === undefined ? findings : { [envelope]: findings, count: findings.length };
  return jsonAnswer(200, body, `${findings.length} findings`);
}
