import { describe, expect, it } from 'vitest';
import { isListOfFindings, isReadyDomain, isRole, misconfiguredState } from '../../src/client/gates.ts';

describe('isRole', () => {
  it.each<[unknown, boolean]>([
    [{ id: 'rol_1' }, true],
    [{ id: 7 }, true],
    [{ name: 'Auditor' }, true],
    [{ id: null, name: 'Auditor', error: 'odd' }, true],
    [{ id: '', name: '' }, false],
    [{ id: null, name: null }, false],
    [{ id: { value: 'rol_1' }, name: 7 }, false],
    [{ error: 'not allowed' }, false],
    [{ statusCode: 403 }, false],
    [{ data: { id: 'rol_1' } }, false],
    [[{ id: 'rol_1' }], false],
    ['rol_1', false],
    [null, false],
  ])('reads %j as a role: %s', (value, expected) => {
    expect(isRole(value)).toBe(expected);
  });
});

describe('isListOfFindings', () => {
  it.each<[unknown, boolean]>([
    [[], true],
    [[{ id: 'fnd_1' }, {}], true],
    [{ data: [] }, true],
    [{ anything: [{}], count: 1, total: 1, totalCount: 1, success: true }, true],
    [{ data: [], authType: 'api-key', authenticatedUser: { id: 'usr_1' } }, true],
    [['no'], false],
    [[null], false],
    [[[]], false],
    [{}, false],
    [null, false],
    ['[]', false],
    [{ success: false, message: 'not allowed', data: [] }, false],
    [{ success: false, data: [] }, false],
    [{ success: 'true', data: [] }, false],
    [{ ok: true, data: [] }, false],
    [{ error: 'backend down', findings: [] }, false],
    [{ code: 7, message: 'permission denied', details: [] }, false],
    [{ data: [{}], count: 2 }, false],
    [{ data: [], count: '0' }, false],
    [{ data: [], meta: null }, false],
    [{ data: [], more: [] }, false],
    [{ data: { items: [] } }, false],
    [{ error: [] }, false],
    [{ errors: [], success: true }, false],
    [{ message: [{}] }, false],
    [{ count: 0 }, false],
  ])('reads %j as a list: %s', (value, expected) => {
    expect(isListOfFindings(value)).toBe(expected);
  });
});

describe('isReadyDomain', () => {
  it.each<[unknown, 'yes' | 'no' | 'unknown' | undefined, boolean]>([
    [undefined, undefined, true],
    [false, 'no', true],
    [{ misconfigured: false, conflicts: [] }, 'no', true],
    [true, 'yes', false],
    [{ misconfigured: true }, 'yes', false],
    [null, 'unknown', false],
    ['false', 'unknown', false],
    [0, 'unknown', false],
    [{}, 'unknown', false],
    [{ misconfigured: null }, 'unknown', false],
    [[], 'unknown', false],
  ])('reads misconfigured %j as %s', (misconfigured, state, isReady) => {
    const status = misconfigured === undefined ? { verified: true } : { verified: true, misconfigured };
    expect(misconfiguredState(status)).toBe(state);
    expect(isReadyDomain(status)).toBe(isReady);
    expect(isReadyDomain({ ...status, verified: false })).toBe(false);
  });
});
