import type { Operation } from '../operation.ts';
import { type Answer, jsonAnswer, Refusal } from '../sandbox-response.ts';
import { EVIDENCE_FORM_TYPES, SCOPES } from '../seed/finding-scopes.ts';
import { FINDINGS, type Finding, SUBMISSIONS, TASKS } from '../seed/seed-findings.ts';
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
  const parameterOf = (selector: Selector) => (selector === 'taskId' && variants['task-name']) || selector;
  const parameters = known.map(parameterOf);
  refuseUnknown(query, parameters, variants);
  const [selector, ...others] = known.filter((name) => query.has(parameterOf(name)));
  if (selector === undefined) return withoutSelector(parameters, variants);
  if (others.length > 0) throw new Refusal(400, `Only one of ${parameters.join(', ')} may be given`);
  const parameter = parameterOf(selector);
  const [value, ...more] = query.getAll(parameter);
  if (!value) throw new Refusal(400, [`${parameter} should not be empty`]);
  if (more.length > 0) throw new Refusal(400, [`${parameter} must be a string`]);
  REFUSE_UNKNOWN[selector](value, variants);
  return FINDINGS.filter((finding) => finding[selector] === value);
}

function refuseUnknown(query: URLSearchParams, parameters: readonly string[], variants: Variants): void {
  if (variants['unknown-parameter'] === 'ignore') return;
  const unknown = [...query.keys()].filter((name) => !parameters.includes(name));
  if (unknown.length > 0) {
    throw new Refusal(
      400,
      unknown.map((name) => `property ${name} should not exist`),
    );
  }
}

function withoutSelector(parameters: readonly string[], variants: Variants): readonly Finding[] {
  // A service that does not know a selector cannot tell such a request from one that has none: it answers with all.
  if (variants['no-selector'] === 'all' || variants['ignore-scope'] === 'yes') return FINDINGS;
  throw new Refusal(400, `One of ${parameters.join(', ')} must be given`);
}

function refuseOther(selector: Selector, value: string, allowed: readonly string[]): void {
  if (allowed.includes(value)) return;
  throw new Refusal(400, [`${selector} must be one of the following values: ${allowed.join(', ')}`]);
}

function listAnswer(findings: readonly Finding[], variants: Variants): Answer {
  const { envelope } = variants;
  const size = variants['page-size'] ?? findings.length;
  const page = findings.slice(0, size);
  const isCut = page.length < findings.length;
  const note = `${page.length} findings`;
  if (envelope === undefined) {
    const answer = jsonAnswer(200, page, note);
    return isCut ? { ...answer, headers: { 'x-total-count': String(findings.length) } } : answer;
  }
  const beside = { count: page.length, ...(isCut ? { total: findings.length, hasMore: true } : {}) };
  const [outer = '', inner] = envelope.split('.');
  const list = inner === undefined ? { [outer]: page, ...beside } : { [outer]: { [inner]: page, ...beside } };
  return jsonAnswer(200, list, note);
}
