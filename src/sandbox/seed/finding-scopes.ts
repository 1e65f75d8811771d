/** The evidence form types of interface 4.4. */
export const SEED_FORM_TYPES: readonly string[] = [
  'board-meeting',
  'it-leadership-meeting',
  'risk-committee-meeting',
  'meeting',
  'access-request',
  'whistleblower-report',
  'penetration-test',
  'rbac-matrix',
  'infrastructure-inventory',
  'employee-performance-evaluation',
  'network-diagram',
  'tabletop-exercise',
];

/** The people-area scopes of interface 4.4. */
export const SEED_SCOPES: readonly string[] = ['people', 'people_tasks', 'people_devices', 'people_chart'];
