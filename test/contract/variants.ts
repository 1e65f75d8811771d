// biome-ignore-all format: a table, a variant a line

import { API_KEY } from '../helpers/api-key.ts';
import { all, bulk, byNumber, created, DEFAULTS, domain, type Expected, errors, findings, limit, malformed, once, type Point, people, role, shape, status, without } from './dsl.ts';
import { FINDINGS, ROLE } from './fixtures.ts';

/*
 * Every point that the interface leaves open, and what a reasonable service could choose there.
 *
 * The expected result of a run is `[exit code, stdout in short, stderr]`. In short: a role is its name and
 * permissions, a bulk report the states of the four people of the list, a domain whether it is ready, findings their
 * ids. The third part is in stderr; without it, stderr is that of the default service.
 */

const { role: ROLE_DONE, people: REPORTED, findings: LISTED } = DEFAULTS;
const READY: Expected = [0, 'ready'];
const NOT_READY: Expected = [7, 'not ready'];
/** A message that the correct service does not cause. */
const SAYS_MORE = /./;
const UNKNOWN = 'unknown unknown unknown unknown';
const UNSENT = 'unsent unsent unsent unsent';

const WITH_LABELS = 'userId,role,deviceMgmtLabelId\nusr_1,member,7\nusr_2,admin,\nusr_3,member,\nusr_4,member,\n';
const NUMBERS = 'userId,role\n101,member\n102,admin\n103,member\n104,member\n';
const NOT_RETURNED = /^.*: name, permissions, obligations\n$/;
const NO_ROLE = /"code":"invalid-response"/;
const FAILED_ROLE = /"code":"invalid-response"/;
const NO_FINDINGS = /^.* tsk_1.*\n$/;

export const POINTS: readonly Point[] = [
  {
    behaviors: 'HTTP status codes of the success responses of all four operations: not shown.',
    variants: [
      all('200', { status: 200 }),
      { name: '201', behaviors: { status: 201 }, expect: { ...DEFAULTS, domain: [1, 'ready', / 201\b/], findings: [0, LISTED[1], / is 201\b/] } },
      { name: '207', behaviors: { status: 207 }, expect: { ...DEFAULTS, domain: [1, 'ready', / 207\b/], findings: [0, LISTED[1], / is 207\b/] } },
      { name: '204 without a body', behaviors: { status: 204 }, expect: { role: [0, '', /✓ .* \w+; .*\n$/], people: [3, UNKNOWN, SAYS_MORE], domain: [1, '', /"code":"invalid-response"/], findings: [1, '', SAYS_MORE] } },
      { name: '206', behaviors: { status: 206 }, expect: { ...DEFAULTS, role: [1, '', /\(206\)/], domain: [1, 'ready', /\b206\b/], findings: [0, LISTED[1], / is 206\b/] } },
      { name: '202 with an empty object', behaviors: { status: 202, people: () => ({}) }, expect: { people: [3, UNKNOWN, SAYS_MORE] } },
    ],
  },
  {
    behaviors: 'Whether index is zero-based: not shown.',
    variants: [
      people('from 0', { indexBase: 0 }),
      people('from 1', { indexBase: 1 }),
      people('from 0, and errors without userId', { indexBase: 0, people: errors((row) => without(row, 'userId')) }),
      people('from 1, and errors without userId', { indexBase: 1, people: errors((row) => without(row, 'userId')) }),
      people('from 1, and userId null', { indexBase: 1, people: errors((row) => ({ ...row, userId: null })) }),
      people('from 1, and another name for the user', { indexBase: 1, people: errors((row) => ({ ...row, userId: `${row.userId}@acme.test` })) }),
      bulk('no index', errors((row) => without(row, 'index'))),
      bulk('index null', errors((row) => ({ ...row, index: null }))),
      bulk('index in quotes, no userId', errors(({ index, error }) => ({ index: String(index), error }))),
      bulk('index that means nothing', errors((row) => ({ ...row, index: 9_999 }))),
      bulk('neither index nor userId', errors(({ error }) => ({ error })), 3, 'recovered recovered recovered failed', /\b2 of the errors\b/),
    ],
  },
  {
    behaviors: 'created: array of Member, members created successfully. (Neither its order nor that it is complete.)',
    variants: [
      bulk('reversed', (response) => ({ ...response, created: [...response.created].reverse() })),
      bulk('both lists reversed', (response) => ({ ...response, created: [...response.created].reverse(), errors: [...response.errors].reverse() })),
      bulk('two rows for one entry', (response) => ({ ...response, created: response.created.flatMap((row) => [{ ...row, id: 'old', isActive: false }, row]) })),
      bulk('one row missing', (response) => ({ ...response, created: response.created.slice(0, 1) }), 3, 'created existing recovered failed', /\b2 m 0 s\b/),
      bulk('one error missing', (response) => ({ ...response, errors: response.errors.slice(0, -1) }), 3, 'created existing created unknown', SAYS_MORE),
      bulk('a row in both lists', (response) => ({ ...response, errors: [...response.errors, ...response.created.slice(0, 1).map(({ userId }) => ({ index: 0, userId, error: 'mail not sent' }))] }), 3, 'recovered existing created failed', /\b2 m 0 s\b/),
      bulk('a person who was not in the request', (response) => ({ ...response, created: [...response.created, { userId: 'usr_77' }] }), 3, REPORTED[1], /\b1 created member\b/),
      bulk('null for an empty list', (response) => ({ ...response, created: response.created.length > 0 ? response.created : null, errors: response.errors.length > 0 ? response.errors : null })),
      people('no person created, list absent', { people: (response) => without({ ...response }, 'created') }, [3, 'existing failed existing failed'], { list: 'userId,role\nusr_2,member\nusr_4,member\n102,member\n104,member\n' }),
      people('everybody created, errors absent', { people: (response) => without({ ...response }, 'errors') }, [0, 'created created created created'], { list: 'userId,role\nusr_1,member\nusr_3,member\nusr_5,member\nusr_6,member\n' }),
    ],
  },
  {
    behaviors: 'Member and User: their fields. (Which of them a response always has, and how it shows an absent one.)',
    variants: [
      bulk('members with nothing but a userId', created(({ userId }) => ({ userId }))),
      bulk('members without userId, the user within', created((row) => without(row, 'userId'))),
      bulk('members without a user', created(({ id }) => ({ id })), 3, 'recovered existing recovered failed', /\b2 created members\b/),
      bulk('nulls for absent fields', created((row) => ({ ...row, department: null, deviceMgmtLabelId: null, user: null, createdAt: null }))),
      bulk('further fields', created((row) => ({ ...row, tags: ['a'], _links: { self: {} }, tenant: { id: 7 } }))),
      bulk('dates without a zone', created((row) => ({ ...row, createdAt: '2026-02-01 10:30:00' }))),
      bulk('dates with an offset', created((row) => ({ ...row, createdAt: '2026-02-01T10:30:00.123456+05:45' }))),
      bulk('dates as numbers', created((row) => ({ ...row, createdAt: 1_769_942_000_000 }))),
      bulk('booleans in quotes', created((row) => ({ ...row, isActive: String(row.isActive) }))),
      bulk('an organization that is a number', created((row) => ({ ...row, organizationId: 7 }))),
      people('userIds that are numbers', { people: (response) => created(byNumber)(errors(byNumber)(response)) }, REPORTED, { list: NUMBERS }),
      people('a role and a department that the interface does not list', {}, REPORTED, { list: 'userId,role,department\nusr_1,grand vizier,Forschung & Lehre\nusr_2,rôle,\nusr_3,member,x\nusr_4,x,\n' }),
    ],
  },
  {
    behaviors: 'error: string, human-readable; one case is that the user is already a member. (Which words: not shown.)',
    variants: [
      people('already a member', { memberMessage: 'This user is already a member' }),
      people('already exists', { memberMessage: 'Membership already exists' }),
      people('a duplicate key', { memberMessage: 'duplicate key value violates unique constraint' }, [3, 'created failed created failed']),
      people('an object with a code', { memberMessage: { code: 'ALREADY_MEMBER' } }),
      people('a list', { memberMessage: ['already a member'] }),
      people('another message', { memberMessage: 'Person is on board already' }, [3, 'created failed created failed', /wire\.member\.existing/]),
      people('another message, which the profile knows', { memberMessage: 'Person is on board already' }, REPORTED, { first: ['config', 'set', 'wire.member.existing', 'on board'] }),
      bulk('message instead of error', errors(({ error, ...row }) => ({ ...row, message: error }))),
      people('another message, and a missing row', { memberMessage: 'Person is on board already', people: (response) => ({ ...response, created: response.created.slice(0, 1) }) }, [3, 'created failed failed failed', SAYS_MORE]),
      bulk('no message', errors((row) => without(row, 'error')), 3, 'created failed created failed'),
      bulk('further fields', errors((row) => ({ ...row, code: 'E1', entry: { role: 'member' } }))),
    ],
  },
  {
    behaviors: 'summary: total, successful, failed. (Whether it is always there, and right.)',
    variants: [
      bulk('absent', (response) => without({ ...response }, 'summary')),
      bulk('null', (response) => ({ ...response, summary: null })),
      bulk('in quotes', (response) => ({ ...response, summary: { total: '4' } })),
      bulk('a text', (response) => ({ ...response, summary: 'done' })),
      bulk('contradicting the lists', (response) => ({ ...response, summary: { total: 9, successful: 9, failed: 0 } })),
    ],
  },
  {
    behaviors: 'authType: api-key or session. authenticatedUser: id and email of the caller. (Whether they are always there.)',
    variants: [
      bulk('session', (response) => ({ ...response, authType: 'session' })),
      bulk('a type that the interface does not list', (response) => ({ ...response, authType: 'oauth2' })),
      bulk('neither', (response) => without({ ...response }, 'authType', 'authenticatedUser')),
      bulk('null', (response) => ({ ...response, authType: null, authenticatedUser: null })),
      bulk('a caller without e-mail, by number', (response) => ({ ...response, authenticatedUser: { id: 9 } })),
      bulk('a caller that is a text', (response) => ({ ...response, authType: 1, authenticatedUser: 'usr_owner' })),
    ],
  },
  {
    behaviors: 'Which entry fields are required: not shown.',
    variants: [
      malformed('named by their place', 400, (at) => ({ message: [`members.${at}.department should not be empty`], statusCode: 400 })),
      malformed('counted from 1', 400, (at) => ({ message: [`members.${at + 1}.department should not be empty`], statusCode: 400 })),
      malformed('in brackets', 422, (at) => ({ errors: { [`members[${at}].department`]: ['is required'] } })),
      malformed('not named', 400, () => ({ message: 'Validation failed' })),
      malformed('without a message', 400, () => ''),
      bulk('rejected one by one', (response) => ({ ...response, errors: response.errors.map((row) => (/not found$/.test(String(row.error)) ? { ...row, error: 'department is required' } : row)) }), 3, REPORTED[1]),
      people('all rejected', { reject: ({ operation }) => operation === 'people' ? { status: 400, body: { message: 'department is required' } } : undefined }, [3, 'failed failed failed failed']),
    ],
  },
  {
    behaviors: 'deviceMgmtLabelId: integer, optional.',
    variants: [
      people('known', {}, REPORTED, { list: WITH_LABELS }),
      people('unknown, and rejected', { label: 'fleetLabelId' }, [3, 'failed existing created failed'], { list: WITH_LABELS }),
      people('under another name, which the profile knows', { label: 'fleetLabelId' }, REPORTED, { list: WITH_LABELS, first: ['config', 'set', 'wire.member.deviceMgmtLabelId', 'fleetLabelId'] }),
    ],
  },
  {
    behaviors: 'Rate limits, the maximum size of the members array and pagination of findings: not shown.',
    variants: [
      limit('413 with a number', 413, { message: 'At most 2 members a request' }),
      limit('413 without a message', 413, ''),
      limit('413 of a gateway', 413, '<html><head><title>413 Request Entity Too Large</title></head></html>'),
      limit('400 with a number', 400, { message: 'Maximum 2 members allowed per bulk request', statusCode: 400 }),
      limit('400, array size', 400, { message: ['members must contain no more than 2 elements'] }),
      limit('400, vague', 400, { message: 'Too many members' }),
      limit('422 with a number', 422, { errors: { members: ['exceeds the limit of 2'] } }),
      limit('400, schema message', 400, { message: '/members must NOT have more than 2 items' }),
      limit('400 without a message', 400, ''),
      all('429 once, with seconds to wait', once({ status: 429, headers: { 'Retry-After': '7' } })),
      all('429 once, with a date', once({ status: 429, headers: { 'Retry-After': 'Thu, 01 Jan 2026 00:00:09 GMT', Date: 'Thu, 01 Jan 2026 00:00:00 GMT' } })),
      all('429 once, without a time', once({ status: 429, body: 'slow down' })),
      findings('a page with a total', (list) => ({ data: list, total: 58 }), 0, LISTED[1], /total=58/),
      { name: 'a page with a link', behaviors: { headers: { Link: '</v1/findings?page=2>; rel="next"' } }, expect: { findings: [0, LISTED[1], /\blink\b/] } },
    ],
  },
  {
    behaviors: 'The role response does not echo obligations. The full list of permission resource names and actions: not shown.',
    variants: [
      role('echoed', (response) => ({ ...response, obligations: { compliance: true } }), 0, ROLE_DONE[1], /^$/),
      role('echoed, not as sent', (response) => ({ ...response, obligations: { compliance: false } }), 3, ROLE_DONE[1], /^warning: .*: obligations.compliance\n$/),
      role('obligations null', (response) => ({ ...response, obligations: null })),
      role('nothing but an id', ({ id }) => ({ id }), 0, '', NOT_RETURNED),
      role('a message instead of the role', () => ({ message: 'Role updated successfully' }), 1, '', NO_ROLE),
      role('an error with status 200', () => ({ error: 'not allowed' }), 1, '', FAILED_ROLE),
      role('a role that says that it failed', (response) => ({ ...response, success: false }), 1, '', FAILED_ROLE),
      role('a role that says that it succeeded', (response) => ({ ...response, success: true, error: null })),
      role('text', () => 'Role updated successfully', 1, '', /"code":"invalid-response".*\(200\)/),
      role('null', () => null, 0, '', /✓ .* \w+; .*\n$/),
      role('an empty body', () => undefined, 0, '', /✓ .* \w+; .*\n$/),
      role('another name than sent', (response) => ({ ...response, name: 'Auditor' }), 3, 'Auditor control=read,update', /^warning: .*: name\n/m),
      role('other permissions than sent', (response) => ({ ...response, permissions: { control: ['read'], risk: ['read'] } }), 3, 'Lead Auditor control=read risk=read', /^warning: .*: permissions.control, permissions.risk\n/m),
      role('permissions in another order', (response) => ({ ...response, permissions: { control: ['update', 'read'] } }), 0, 'Lead Auditor control=update,read'),
      role('permissions null', (response) => ({ ...response, permissions: null }), 0, 'Lead Auditor', /: permissions, obligations\n$/),
      role('permissions of another shape', (response) => ({ ...response, permissions: 'control:read' }), 1, '', /"code":"invalid-response".*\(200\)/),
      role('another role', () => ({ ...ROLE, id: 'rol_9' }), 3, 'Auditor policy=read', /^warning: .*: id\b/m),
      role('further fields and nulls', (response) => ({ ...response, description: null, isBuiltIn: null, members: 3 })),
      role('booleans in quotes, dates as numbers', (response) => ({ ...response, isBuiltIn: 'false', createdAt: 1_769_942_000, updatedAt: null })),
    ],
  },
  {
    behaviors: 'misconfigured: object, not required; null when the hosting provider cannot be reached. The inner shape: not shown.',
    variants: [
      domain('true', { misconfigured: true }, NOT_READY),
      domain('false', { misconfigured: false }, READY),
      domain('null', { misconfigured: null }, NOT_READY),
      domain('absent', { misconfigured: undefined }, READY),
      domain('an object that says yes', { misconfigured: { misconfigured: true, since: '2026' } }, NOT_READY),
      domain('an object that says no', { misconfigured: { misconfigured: false, conflicts: [] } }, READY),
    ],
  },
  {
    behaviors: 'verified: boolean, required. verification and cnameTarget: not required. Verification record: four string fields.',
    variants: [
      domain('not verified', { verified: false }, NOT_READY),
      domain('verified, in quotes', { verified: 'true' }, [1, '', /"code":"invalid-response".*: verified: /]),
      domain('verified absent', { verified: undefined }, [1, '', /verified: expected boolean/]),
      domain('no records', { verification: undefined, cnameTarget: undefined }, READY),
      domain('records null', { verification: null, cnameTarget: null }, READY),
      domain('records empty', { verification: [], cnameTarget: '' }, READY),
      domain('records of types that the interface does not list', { verification: [{ type: 'TYPE65534', domain: 'x.test', value: '\\# 1 00' }] }, READY),
      domain('records with nulls', { verification: [{ type: 'TXT', domain: null, value: null, reason: null }] }, READY),
      domain('records with further fields', { verification: [{ type: 'TXT', domain: 'x.test', value: 'x', ttl: 60 }] }, [1, 'ready', /wire.domain.ignore verification.ttl=60/]),
      domain('records without reason', { verification: [{ type: 'A', domain: 'trust.acme.test', value: '192.0.2.1' }] }, READY),
      domain('a target with a dot', { cnameTarget: 'cname.hosting.test.' }, READY),
      domain('the domain in capitals, with a dot', { domain: 'Trust.ACME.test.' }, READY),
      domain('the domain absent', { domain: undefined }, [1, 'ready', /trust\.acme\.test/]),
      domain('another domain', { domain: 'other.test' }, [1, 'ready', /trust\.acme\.test.*other\.test/]),
      domain('further fields', { id: 7, checkedAt: '2026-02-01T10:30:00Z', provider: { name: 'x' } }, [1, 'ready', /wire\.domain\.ignore/]),
      domain('errors next to the status', { errors: ['lookup failed'] }, [1, '', SAYS_MORE]),
      domain('a status in words', { status: 'error' }, [1, 'ready', /wire.domain.ignore status=error/]),
    ],
  },
  {
    behaviors: 'Response: a list of findings (fields in 2.5).',
    variants: [
      findings('a bare array', (list) => list),
      findings('under "findings"', (list) => ({ findings: list })),
      findings('with a count', (list) => ({ count: list.length, data: list })),
      findings('under another key', (list) => ({ hits: list })),
      findings('after what is included', (list) => ({ included: [{ id: 'x' }], data: list }), 0, LISTED[1], /\bincluded\b/),
      findings('one of several lists', (list) => ({ included: [{ id: 'x' }], records: list }), 1, '', SAYS_MORE),
      findings('two envelopes', (list) => ({ data: { items: list, count: 2 } }), 0, LISTED[1]),
      findings('empty', () => [], 0, '', NO_FINDINGS),
      findings('an empty envelope', () => ({ data: [], total: 0 }), 0, '', NO_FINDINGS),
      findings('null', () => null, 1, '', SAYS_MORE),
      findings('an empty body', () => undefined, 1, '', SAYS_MORE),
      findings('an object without a list', () => ({ message: 'ok' }), 1, '', SAYS_MORE),
      findings('a text', () => 'none', 1, '', /"code":"invalid-response".*\(200\)/),
    ],
  },
  {
    behaviors: 'Fields of a finding: not shown.',
    variants: [
      findings('further fields', (list) => list.map((one) => ({ ...one, owner: { user: { email: 'a@acme.test' } }, tags: [] }))),
      findings('nothing but ids', (list) => list.map(({ id }) => ({ id })), 0, LISTED[1]),
      findings('other names', () => [{ key: 'F-1', summary: 'x' }], 0, '?'),
      findings('ids that are numbers', () => [{ id: 1 }, { id: 2 }], 0, '1 2'),
      findings('deep nesting', () => [{ id: 'deep', a: nested(60) }], 0, 'deep'),
      findings('mixed shapes', () => [{ id: 'fnd_1' }, { other: 1 }, {}], 0, 'fnd_1 ? ?'),
      findings('texts', () => ['fnd_1'], 1, '', SAYS_MORE),
      findings('nulls', (list) => list.map((one) => ({ ...one, content: null, severity: null, createdAt: null }))),
      findings('a task that is an object', (list) => list.map(({ taskId, ...one }) => ({ ...one, task: { id: taskId } }))),
    ],
  },
  {
    behaviors: 'Parameter names and whether each is required: not shown.',
    variants: [
      { name: 'another name, which the profile knows', behaviors: { taskParameter: { name: 'task_id', others: 'reject' } }, expect: { findings: LISTED }, first: ['config', 'set', 'wire.findings.task', 'task_id'] },
      { name: 'our name, any other one rejected', behaviors: { taskParameter: { name: 'taskId', others: 'reject' } }, expect: { findings: LISTED } },
      { name: 'another name, ours rejected', behaviors: { taskParameter: { name: 'task_id', others: 'reject' } }, expect: { findings: [1, '', /orgadm config set wire.findings.task <name>/] } },
      { name: 'another name, ours ignored', behaviors: { taskParameter: { name: 'task_id', others: 'ignore' } }, expect: { findings: [0, 'fnd_1 fnd_2 fnd_3', /\b1 of 3 findings\b.*wire\.findings\.task/] } },
      { name: 'a selector that is ignored, tasks being objects', behaviors: { findings: () => FINDINGS.map(({ taskId, ...one }) => ({ ...one, task: { id: taskId } })) }, expect: { findings: [0, 'fnd_1 fnd_2 fnd_3', /\b1 of 3 findings\b.*taskId/] } },
      { name: 'a task that is a number', behaviors: { findings: () => [{ id: 'a', taskId: 7 }] }, expect: { findings: [0, 'a', /^$/] }, messages: { '--task=tsk_1': '--task=7' } },
      { name: 'a required parameter', behaviors: { reject: ({ operation }) => operation === 'findings' ? { status: 400, body: { message: ['task_id should not be empty'] } } : undefined }, expect: { findings: [1, '', /task_id should not be empty.*orgadm config set wire.findings.task <name>/] } },
      { name: 'an unknown task, 404', behaviors: { reject: ({ operation }) => operation === 'findings' ? { status: 404, body: { message: 'Task tsk_1 not found' } } : undefined }, expect: { findings: [5, '', /Task tsk_1 not found/] } },
      { name: 'an unknown task, none', behaviors: {}, expect: { findings: [0, '', / tsk_9\b/] }, messages: { '--task=tsk_1': '--task=tsk_9' } },
    ],
  },
  {
    behaviors: 'HTTP error status codes, error body shape and error codes for all operations: not shown.',
    variants: [
      shape('message', { message: 'name is taken', error: 'Bad Request', statusCode: 400 }),
      shape('problem+json', { title: 'Invalid', detail: 'name is taken', status: 400 }, /name is taken/, { 'Content-Type': 'application/problem+json' }),
      shape('a bare text', 'name is taken', /name is taken/, { 'Content-Type': 'text/plain' }),
      shape('a page', '<!doctype html><title>name is taken</title>', /name is taken/, { 'Content-Type': 'text/html' }),
      shape('JSON declared as HTML', { message: 'name is taken' }, /name is taken/, { 'Content-Type': 'text/html' }),
      shape('nothing', '', /\(400\)/),
      shape('a key that it echoes', { message: `name is taken by ${API_KEY}` }, /name is taken by \*\*\*/),
      status(400, { role: [1, '', /message of 400/], people: [3, 'failed failed failed failed'], domain: [1, '', /message of 400/], findings: [1, '', /message of 400/] }),
      status(401, { role: [4, '', /message of 401/], people: [4, UNSENT, /message of 401/], domain: [4, '', /message of 401/], findings: [4, '', /message of 401/] }),
      status(403, { role: [4, '', /message of 403/], people: [4, UNSENT, /message of 403/], domain: [4, '', /message of 403/], findings: [4, '', /message of 403/] }),
      status(404, { role: [5, '', /message of 404/], people: [5, UNSENT, /message of 404/], domain: [5, '', /message of 404/], findings: [5, '', /message of 404/] }),
      status(405, { role: [1, '', /message of 405/], people: [1, UNSENT, /message of 405/], domain: [1, '', /message of 405/], findings: [1, '', /message of 405/] }),
      status(408, { role: [6, '', /message of 408/], people: [3, UNKNOWN, SAYS_MORE], domain: [6, '', /message of 408/], findings: [6, '', /message of 408/] }),
      status(409, { role: [1, '', /message of 409/], people: [3, UNKNOWN, SAYS_MORE], domain: [1, '', /message of 409/], findings: [1, '', /message of 409/] }),
      status(415, { role: [1, '', /message of 415/], people: [1, UNSENT, /message of 415/] }),
      status(422, { role: [1, '', /message of 422/], people: [3, 'failed failed failed failed'], domain: [1, '', /message of 422/], findings: [1, '', /message of 422/] }),
      status(429, { role: [6, '', /message of 429/], people: [6, UNSENT, /message of 429/], domain: [6, '', /message of 429/], findings: [6, '', /message of 429/] }),
      status(431, { role: [1, '', /\(431\)/], people: [1, UNSENT, /\(431\)/], domain: [1, '', /\(431\)/], findings: [1, '', /\(431\)/] }, { body: '' }),
      status(500, { role: [6, '', /message of 500/], people: [3, UNKNOWN, SAYS_MORE], domain: [6, '', /trust\.acme\.test/], findings: [6, '', /message of 500/] }),
      status(502, { role: [6, '', /Bad Gateway/], people: [3, UNKNOWN, SAYS_MORE], domain: [6, '', /Bad Gateway/], findings: [6, '', /Bad Gateway/] }, { body: '<html><title>502 Bad Gateway</title></html>' }),
      status(503, { role: [6, '', /\(503\)/], people: [3, UNKNOWN, SAYS_MORE], domain: [6, '', /\(503\)/], findings: [6, '', /\(503\)/] }, { body: '', headers: { 'Retry-After': '1' } }),
      status(504, { role: [6, '', /message of 504/], people: [3, UNKNOWN, SAYS_MORE], domain: [6, '', /message of 504/], findings: [6, '', /message of 504/] }),
      status(302, { role: [1, '', /elsewhere.test/], people: [1, UNKNOWN, /elsewhere.test/], domain: [1, '', /elsewhere.test/], findings: [1, '', /elsewhere.test/] }, { headers: { Location: 'https://elsewhere.test/v1' } }),
    ],
  },
  {
    behaviors: 'Response: a Role object; a JSON object with created, errors, …; a Domain status object. (Not: an envelope around it.)',
    variants: [
      role('a role in an envelope', (response) => ({ data: response }), 1, '', NO_ROLE),
      bulk('a bulk response in an envelope', (response) => ({ data: response }), 3, UNKNOWN, SAYS_MORE),
      { name: 'a domain in an envelope', behaviors: { domain: (response) => ({ data: response }) }, expect: { domain: [1, '', /"code":"invalid-response".*: verified: /] } },
    ],
  },
  {
    behaviors: 'All paths are relative to {base_url}. (What it holds beyond a host.)',
    variants: [
      all('a slash', { base: '/' }),
      all('a prefix', { base: '/gateway/org' }),
      all('a prefix and slashes', { base: '/gateway/org//' }),
      all('a prefix with a blank', { base: '/my%20org' }),
    ],
  },
  {
    behaviors: 'Identifiers are strings. (Which characters they hold.)',
    variants: [
      { name: 'a role', behaviors: {}, expect: { role: ROLE_DONE }, messages: { rol_1: 'rol+a/b=c|d~é监:1' } },
      { name: 'a task', behaviors: {}, expect: { findings: [0, '', /^.* task .*\n$/] }, messages: { '--task=tsk_1': '--task=tsk+a/b=c|d~é监:1' } },
      people('users', {}, [0, 'created created created created'], { list: `userId,role\na/b?c&d=%#é\\监🎉,member\n0012,member\n1E5,member\n../..1,member\n` }),
    ],
  },
  {
    behaviors: 'The service is an HTTP/JSON interface. (How it writes JSON and sends it.)',
    variants: [
      { name: 'gzip, although orgadm asks for no encoding', behaviors: { encoding: 'gzip' }, expect: { role: [1, '', /"code":"invalid-response"/], people: [3, UNKNOWN, SAYS_MORE], domain: [1, '', /"code":"invalid-response"/], findings: [1, '', /"code":"invalid-response"/] } },
      all('chunks of one byte', { pieces: 1 }),
      all('header names in capitals', { headers: { 'CONTENT-TYPE': 'application/json', 'X-REQUEST-ID': 'R' } }),
      all('no Content-Type', { headers: { 'Content-Type': null } }),
      all('text/html', { headers: { 'Content-Type': 'text/html' } }),
      all('another JSON type', { headers: { 'Content-Type': 'application/vnd.api+json; charset=UTF-8' } }),
      all('announcing its end', { headers: { Deprecation: 'true', Sunset: 'Thu, 01 Jan 2099 00:00:00 GMT' } }),
      all('closing the connection', { headers: { Connection: 'close' } }),
      all('a byte order mark', { mark: true }),
      all('pretty-printed', { text: (json) => JSON.stringify(JSON.parse(json), null, '\t') }),
      all('blank lines around', { text: (json) => `\r\n\r\n ${json} \n\n` }),
      all('escaped', { text: (json) => json.replace(/[a-z](?=[^"\\]*":)/g, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`) }),
      { name: 'a very long line', behaviors: { role: padded, people: padded, domain: padded, findings: (list) => list.map(padded) }, expect: { ...DEFAULTS, domain: [1, 'ready', /the value \\"padding=é/] } },
    ],
  },
];

function padded<T extends object>(value: T): T & { padding: string } {
  return { ...value, padding: 'é'.repeat(100_000) };
}

function nested(depth: number): unknown {
  return depth === 0 ? 'here' : { down: nested(depth - 1) };
}
