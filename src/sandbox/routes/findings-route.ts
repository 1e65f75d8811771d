import { EVIDENCE_FORM_TYPES, PEOPLE_SCOPES } from '../../client/interface-values.ts';
import { jsonResponse, type Operation, RequestRejection, type SandboxResponse } from '../operation.ts';
import { SEED_FINDINGS, SEED_SUBMISSIONS, SEED_TASKS, type SeedFinding } from '../seed/seed-findings.ts';
import type { Variants } from '../variants.ts';

type FindingSelector = 'taskId' | 'evidenceSubmissionId' | 'evidenceFormType' | 'scope';

/** Rejects an unknown value of each selector. */
const REJECT_UNKNOWN: Readonly<Record<FindingSelector, (value: string, variants: Variants) => void>> = {
  taskId: (value, variants) => {
    if (!SEED_TASKS.has(value) && variants['unknown-task'] === 'reject')
      throw new RequestRejection(404, `Task ${value} not found`);
  },
  evidenceSubmissionId: (value) => {
    if (!SEED_SUBMISSIONS.has(value)) throw new RequestRejection(404, `Evidence submission ${value} not found`);
  },
  evidenceFormType: (value) => rejectOther('evidenceFormType', value, EVIDENCE_FORM_TYPES),
  scope: (value) => rejectOther('scope', value, PEOPLE_SCOPES),
};

const SELECTORS = Object.keys(REJECT_UNKNOWN) as FindingSelector[];

/** GET /v1/findings (interface 4.4): the findings of one task, submission, form type or scope, or all of them. */
export const listFindingsOperation: Operation = (call, { variants }) => {
  const findings = selectFindings(call.query, variants);
  return () => listResponse(findings, variants);
};

function selectFindings(query: URLSearchParams, variants: Variants): readonly SeedFinding[] {
  const known = variants['ignore-scope'] === 'yes' ? SELECTORS.filter((name) => name !== 'scope') : SELECTORS;
  const parameterOf = (selector: FindingSelector) => (selector === 'taskId' && variants['task-name']) || selector;
  const parameters = known.map(parameterOf);
  rejectUnknown(query, parameters, variants);
  const [selector, ...others] = known.filter((name) => query.has(parameterOf(name)));
  if (selector === undefined) return withoutSelector(parameters, variants);
  if (others.length > 0) throw new RequestRejection(400, `Only one of ${parameters.join(', ')} is allowed`);
  const parameter = parameterOf(selector);
  const [value, ...more] = query.getAll(parameter);
  if (!value) throw new RequestRejection(400, [`${parameter} should not be empty`]);
  if (more.length > 0) throw new RequestRejection(400, [`${parameter} must be a string`]);
  REJECT_UNKNOWN[selector](value, variants);
  return SEED_FINDINGS.filter((finding) => finding[selector] === value);
}

function rejectUnknown(query: URLSearchParams, parameters: readonly string[], variants: Variants): void {
  if (variants['unknown-parameter'] === 'ignore') return;
  const unknown = [...query.keys()].filter((name) => !parameters.includes(name));
  if (unknown.length > 0) {
    throw new RequestRejection(
      400,
      unknown.map((name) => `property ${name} should not exist`),
    );
  }
}

function withoutSelector(parameters: readonly string[], variants: Variants): readonly SeedFinding[] {
  // A service that does not know a selector handles the request as one without a selector.
  if (variants['no-selector'] === 'all' || variants['ignore-scope'] === 'yes') return SEED_FINDINGS;
  throw new RequestRejection(400, `One of ${parameters.join(', ')} is required`);
}

function rejectOther(selector: FindingSelector, value: string, allowed: readonly string[]): void {
  if (allowed.includes(value)) return;
  throw new RequestRejection(400, [`${selector} must be one of the following values: ${allowed.join(', ')}`]);
}

function listResponse(findings: readonly SeedFinding[], variants: Variants): SandboxResponse {
  const { envelope } = variants;
  const size = variants['page-size'] ?? findings.length;
  const page = findings.slice(0, size);
  const isCut = page.length < findings.length;
  const note = `${page.length} findings`;
  if (envelope === undefined) {
    const response = jsonResponse(200, page, note);
    return isCut ? { ...response, headers: { 'x-total-count': String(findings.length) } } : response;
  }
  const metadata = { count: page.length, ...(isCut ? { total: findings.length, hasMore: true } : {}) };
  const [outer = '', inner] = envelope.split('.');
  const list = inner === undefined ? { [outer]: page, ...metadata } : { [outer]: { [inner]: page, ...metadata } };
  return jsonResponse(200, list, note);
}
