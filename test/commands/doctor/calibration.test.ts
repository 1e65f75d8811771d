import { describe, expect, it } from 'vitest';
import type { BulkResponse } from '../../../src/client/response-schemas.ts';
import {
  addedBy,
  type CalibrationPlan,
  distinctPhrases,
  malformedEntries,
  namesBaseOf,
  nonexistentIdLike,
  phraseOf,
  probeEntries,
  readProbeResponse,
} from '../../../src/commands/doctor/calibration.ts';

const PLAN: CalibrationPlan = {
  member: 'usr_0003',
  unknownUser: 'usr_unknown1',
  role: 'member',
  department: 'none',
  labelName: 'deviceMgmtLabelId',
};
const ALREADY = 'User chloe@berlin.example.com is already a member of this organization';
const UNKNOWN = 'User usr_unknown1 not found';

describe('the entries of a calibration', () => {
  it('are the member and the unknown user, with the label if it is tried', () => {
    expect(probeEntries(PLAN, true)).toEqual([
      { userId: 'usr_0003', role: 'member', department: 'none', deviceMgmtLabelId: 1 },
      { userId: 'usr_unknown1', role: 'member', department: 'none', deviceMgmtLabelId: 1 },
    ]);
    expect(probeEntries(PLAN, false)[0]).toEqual({ userId: 'usr_0003', role: 'member', department: 'none' });
  });

  it('have the malformed one last, for a user who cannot exist', () => {
    expect(malformedEntries(PLAN)).toEqual([
      { userId: 'usr_0003', role: 'member', department: 'none' },
      { userId: 'usr_unknown1', role: '', department: 'none' },
    ]);
  });

  it.each([
    ['usr_0003', /^usr_orgadmdoctor[0-9a-f]{16}$/],
    ['4711', /^orgadmdoctor[0-9a-f]{16}$/],
    ['0b0e8f0e-4c5a-4f6e-9a57-1f1f5a1c0a11', /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/],
  ])('have an id that cannot exist and is written like %s', (userId, expected) => {
    expect(nonexistentIdLike(userId)).toMatch(expected);
    expect(nonexistentIdLike(userId)).not.toBe(nonexistentIdLike(userId));
  });
});

describe('the base of errors[].index', () => {
  const both = (base: number, named = true): BulkResponse => ({
    errors: [
      { index: base, ...(named && { userId: 'usr_0003' }), error: ALREADY },
      { index: base + 1, ...(named && { userId: 'usr_unknown1' }), error: UNKNOWN },
    ],
  });

  it.each([
    [0, true],
    [1, true],
    [0, false],
    [1, false],
  ])('is %i if the errors show it, with a userId: %s', (base, named) => {
    const response = both(base, named);
    const expected = { indexBase: base, indexBaseReason: null, memberMessage: ALREADY, unknownMessage: UNKNOWN };
    expect(readProbeResponse(PLAN, response)).toEqual(expected);
    expect(readProbeResponse(PLAN, { errors: response.errors?.toReversed() })).toEqual(expected);
  });

  it.each([
    ['the errors have no usable index', [{ userId: 'usr_0003', error: ALREADY }]],
    ['the indexes of the errors count from 7', [{ index: 7, userId: 'usr_0003', error: ALREADY }]],
    [
      'the indexes of the errors contradict each other',
      [
        { index: 0, userId: 'usr_0003', error: ALREADY },
        { index: 2, userId: 'usr_unknown1', error: UNKNOWN },
      ],
    ],
    [
      'the errors have no usable index',
      [
        { index: 0, error: ALREADY },
        { index: 5, error: UNKNOWN },
      ],
    ],
  ])('is unknown because %s: %j', (reason, errors) => {
    const { indexBase, indexBaseReason } = readProbeResponse(PLAN, { errors });
    expect({ indexBase, indexBaseReason }).toEqual({ indexBase: null, indexBaseReason: reason });
  });
});

describe('the messages', () => {
  it('are distinguished by the unknown id if the errors name neither user nor index', () => {
    expect(readProbeResponse(PLAN, { errors: [{ error: UNKNOWN }, { error: ALREADY }] })).toMatchObject({
      memberMessage: ALREADY,
      unknownMessage: UNKNOWN,
    });
  });

  it('are unknown if nothing distinguishes them', () => {
    expect(readProbeResponse(PLAN, { errors: [{ error: 'no' }, { error: 'no' }] })).toMatchObject({
      memberMessage: null,
      unknownMessage: null,
    });
  });

  it.each([
    [ALREADY, 'User * is already a member of this organization'],
    ['Membership of chloe@berlin.example.com already exists', 'Membership of * already exists'],
    ['chloe@berlin.example.com is on board already', '* is on board already'],
    ['Chloe Okafor is already a member', '* is already a member'],
    ['ALREADY_MEMBER', 'ALREADY_MEMBER'],
    [UNKNOWN, 'User * not found'],
    ['Benutzer "usr_0003" ist bereits Mitglied', 'Benutzer * ist bereits Mitglied'],
    ['usr_0003', null],
    ['E409', null],
  ])('turn from %j into the phrase %j', (message, phrase) => {
    expect(phraseOf(message, ['usr_0003', 'usr_unknown1'])).toBe(phrase);
  });

  it('turn into no phrases if one would match the other', () => {
    const same = {
      indexBase: null,
      indexBaseReason: null,
      memberMessage: 'User usr_0003 was rejected',
      unknownMessage: 'User usr_unknown1 was rejected',
    };
    expect(distinctPhrases(same, PLAN)).toEqual({ existing: null, unknown: null });
    const different = { ...same, memberMessage: ALREADY, unknownMessage: UNKNOWN };
    expect(distinctPhrases(different, PLAN)).toEqual({
      existing: 'User * is already a member of this organization',
      unknown: 'User * not found',
    });
  });
});

describe('the base of names in a 400', () => {
  it.each([
    [['members.1.role should not be empty'], 0],
    [['members.2.role should not be empty'], 1],
    [['members[1].role: must not be empty; members[1].role: must be known'], 0],
    [['members.0.role must be known', 'members.1.role should not be empty'], null],
    [['members.7.role should not be empty'], null],
    [['role should not be empty'], null],
    [[], null],
  ])('follows from the messages %j as %j', (messages, base) => {
    expect(namesBaseOf(messages)).toBe(base);
  });
});

describe('people whom a calibration added after all', () => {
  it.each<[BulkResponse, unknown[]]>([
    [{ created: [{ id: 'mem_7', userId: 'usr_0003' }] }, [{ userId: 'usr_0003', memberId: 'mem_7' }]],
    [{ created: [{}] }, [{ userId: null, memberId: null }]],
    [{ summary: { total: 2, successful: 1, failed: 1 } }, [{ userId: null, memberId: null }]],
    [{ errors: [{}, {}], summary: { total: 2, successful: 2, failed: 0 } }, []],
    [{ created: [], errors: [{}, {}], summary: { total: 2, successful: 0, failed: 2 } }, []],
    [{}, []],
  ])('are found in the response %j as %j', (response, added) => {
    expect(addedBy(response, 2)).toEqual(added);
  });
});
