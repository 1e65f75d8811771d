import { describe, expect, it } from 'vitest';
import { isReadyDomain, isRole, misconfiguredState, saysFailure } from '../../src/client/success.ts';

describe('isRole', () => {
  it.each<[unknown, boolean]>([
    [{ id: 'rol_1' }, true],
    [{ id: 7 }, true],
    [{ name: 'Auditor' }, true],
    [{ id: '', name: '' }, false],
    [{ id: { value: 'rol_1' }, name: 7 }, false],
    [{ error: 'not allowed' }, false],
    [[{ id: 'rol_1' }], false],
    [null, false],
  ])('reads %j as a role: %s', (value, expected) => {
    expect(isRole(value)).toBe(expected);
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
    [{}, 'unknown', false],
  ])('reads misconfigured %j as %s', (misconfigured, state, isReady) => {
    const status = misconfigured === undefined ? { verified: true } : { verified: true, misconfigured };
    expect(misconfiguredState(status)).toBe(state);
    expect(isReadyDomain(status)).toBe(isReady);
    expect(isReadyDomain({ ...status, verified: false })).toBe(false);
  });
});

describe('saysFailure', () => {
  it.each<[Record<string, unknown>, boolean]>([
    [{}, false],
    [{ success: true, error: null }, false],
    [{ error: '' }, false],
    [{ success: false }, true],
    [{ success: 'true' }, true],
    [{ error: 'backend down' }, true],
  ])('reads %j as a failure: %s', (response, expected) => {
    expect(saysFailure(response)).toBe(expected);
  });
});
