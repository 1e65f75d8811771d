import type { Json } from '../helpers/organization.ts';

/* The data of every service in these tests, and the command lines that are run against it. */

/** Users who are members before anything is sent, and users who do not exist. */
export const EXISTING_MEMBERS: ReadonlySet<string> = new Set(['usr_2', '102']);
export const UNKNOWN_USERS: ReadonlySet<string> = new Set(['usr_4', '104']);

export const ROLE: Json = {
  id: 'rol_1',
  name: 'Auditor',
  permissions: { policy: ['read'] },
  isBuiltIn: false,
  createdAt: '2026-01-05T09:00:00.000Z',
  updatedAt: '2026-02-01T10:30:00.000Z',
};

export const DOMAIN: Json = {
  verified: true,
  verification: [{ type: 'TXT', domain: '_verify.trust.acme.test', value: 'token=1', reason: 'pending' }],
  cnameTarget: 'cname.hosting.test',
  misconfigured: false,
};

export const FINDINGS: readonly Json[] = [
  { id: 'fnd_1', type: 'soc2', status: 'open', severity: 'high', content: 'No dates.', taskId: 'tsk_1' },
  { id: 'fnd_2', type: 'soc2', status: 'open', severity: 'low', content: 'Line\ntwo', taskId: 'tsk_1' },
  { id: 'fnd_3', type: 'soc2', status: 'open', severity: 'low', content: 'Elsewhere', taskId: 'tsk_2' },
];

/** A new user, an existing member, another new user, and a user who does not exist. */
export const LIST = 'userId,role,isActive\nusr_1,member,true\nusr_2,admin,\nusr_3,member,false\nusr_4,member,\n';

export const COMMANDS = {
  role: [
    'role',
    'update',
    'rol_1',
    '--name=Lead Auditor',
    '--permission=control=read,update',
    '--obligation=compliance=true',
  ],
  people: ['people', 'bulk-add', '-'],
  domain: ['domain', 'status', 'trust.acme.test', '--exit-status'],
  findings: ['findings', 'list', '--task=tsk_1'],
} as const;
