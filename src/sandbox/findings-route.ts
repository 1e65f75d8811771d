import { EVIDENCE_FORM_TYPES, PEOPLE_SCOPES } from '../util/interface-values.ts';
import { FINDINGS } from './findings.ts';
import { SUBMISSIONS, TASKS } from './fixtures.ts';
import { jsonResponse, type Operation, RequestRejection, readParameter } from './operation.ts';

/** The values of each selector. Those that the interface does not list have a noun for messages. */
const SELECTORS: readonly { name: keyof (typeof FINDINGS)[number]; values: readonly string[]; noun?: string }[] = [
  { name: 'taskId', values: [...TASKS.keys()], noun: 'Task' },
  { name: 'evidenceSubmissionId', values: [...SUBMISSIONS.keys()], noun: 'Evidence submission' },
  { name: 'evidenceFormType', values: EVIDENCE_FORM_TYPES },
  { name: 'scope', values: PEOPLE_SCOPES },
];

/** GET /v1/findings (interface 4.4): the findings that all selectors select. */
export const listFindingsOperation: Operation = ({ query }) => {
  let findings = FINDINGS;
  for (const { name, values, noun } of SELECTORS.filter(({ name }) => query.has(name))) {
    const value = readParameter(query, name);
    if (!values.includes(value)) {
      if (noun) throw new RequestRejection(404, `${noun} ${value} not found`);
      throw new RequestRejection(400, [`${name} must be one of the following values: ${values.join(', ')}`]);
    }
    findings = findings.filter((finding) => finding[name] === value);
  }
  return () => jsonResponse(200, findings, `${findings.length} findings`);
};
