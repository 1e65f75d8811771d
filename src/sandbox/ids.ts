import { EVIDENCE_FORM_TYPES, PEOPLE_SCOPES } from '../client/interface-values.ts';

/** The ids in the sandbox: the response to `GET /`, and part of the help of `sandbox serve`. */
export const SANDBOX_IDS = {
  users: 'usr_0001 to usr_5000',
  members: 'usr_0001 to usr_0012',
  roles: 'rol_custom_1 to rol_custom_3',
  domains:
    'trust.example.com, pending.example.com, soon.example.com, misconfigured.example.com, unreachable.example.com',
  tasks: 'tsk_0001 to tsk_0006',
  evidenceSubmissions: 'sub_0001 to sub_0004',
  evidenceFormTypes: EVIDENCE_FORM_TYPES.join(', '),
  scopes: PEOPLE_SCOPES.join(', '),
} as const;
