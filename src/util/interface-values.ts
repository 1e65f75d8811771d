/*
 * The values that the interface lists. They are data and no logic, so the sandbox shares them: what it accepts and what the
 * commands offer cannot differ.
 */

/** The evidence form types that select findings (interface 4.4). */
export const EVIDENCE_FORM_TYPES = [
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
] as const;

/** The people-area scopes that select findings (interface 4.4). */
export const PEOPLE_SCOPES = ['people', 'people_tasks', 'people_devices', 'people_chart'] as const;
