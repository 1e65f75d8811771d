/** The ids in the sandbox: the response to `GET /`, and part of the help of `sandbox serve`. */
export const SANDBOX_IDS = {
  users: 'usr_0001 to usr_5000',
  members: 'usr_0001 to usr_0012',
  roles: 'rol_custom_1 to rol_custom_3',
  domains: 'trust, pending, soon, misconfigured or unreachable.example.com',
  tasks: 'tsk_0001 to tsk_0006',
  evidenceSubmissions: 'sub_0001 to sub_0004',
  evidenceFormTypes: 'those of the interface, such as penetration-test',
  scopes: 'people, people_tasks, people_devices, people_chart',
} as const;
