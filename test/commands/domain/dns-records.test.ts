import { describe, expect, it } from 'vitest';
import { createLookup, LOOKUP_DEADLINE_MS } from '../../../src/commands/domain/dns-lookup.ts';
import { checkRecords } from '../../../src/commands/domain/dns-records.ts';
import { systemClock } from '../../../src/util/host.ts';
import { type NameServer, SERVFAIL, startFailingNameServer, startNameServer } from '../../helpers/name-server.ts';
import { closeAfterTests } from '../../helpers/opened.ts';
import { createTestClock } from '../../helpers/test-clock.ts';

const opened = closeAfterTests();

/** Checks one record against a name server that holds these. */
const checked = async (records: readonly string[], type: string, name: string, value: string | undefined) => {
  const { address }: NameServer = opened(await startNameServer(records));
  const lookup = createLookup({ server: address, clock: systemClock });
  const [check] = await checkRecords([{ type, name, value }], lookup);
  return check;
};

describe('a record that the DNS has', () => {
  it.each([
    ['txt-record=_v.acme.test,verify=1', 'TXT', '_v.acme.test', 'verify=1', ['verify=1']],
    ['txt-record=_v.acme.test,verify=1', 'txt', '_V.ACME.test.', ' verify=1 ', ['verify=1']],
    ['txt-record=_v.acme.test,verify=1', 'TXT', '_v.acme.test', '"verify=1"', ['verify=1']],
    ['txt-record=_v.acme.test,ver,ify=1', 'TXT', '_v.acme.test', 'verify=1', ['verify=1']],
    [
      'cname=trust.acme.test,c.host.test\nhost-record=c.host.test,192.0.2.7',
      'CNAME',
      'trust.acme.test',
      'C.Host.test.',
      ['c.host.test'],
    ],
    ['host-record=acme.test,192.0.2.7', 'A', 'acme.test', '192.0.2.7', ['192.0.2.7']],
    ['host-record=acme.test,2001:db8::7', 'AAAA', 'acme.test', '2001:0DB8:0:0::7', ['2001:db8::7']],
  ])('is found in %s as %s %s %j', async (record, type, name, value, actual) => {
    expect(await checked([record], type, name, value)).toEqual({ type, name, expected: value, state: 'found', actual });
  });

  it('is found among several at its name', async () => {
    const records = ['txt-record=acme.test,v=spf1 -all', 'txt-record=acme.test,verify=1'];
    const check = await checked(records, 'TXT', 'acme.test', 'verify=1');
    expect(check?.state).toBe('found');
    expect(check?.actual.toSorted()).toEqual(['v=spf1 -all', 'verify=1']);
  });
});

describe('a record that the DNS does not have', () => {
  it.each([
    ['', 'TXT', '_v.acme.test', 'verify=1', 'missing', []],
    ['host-record=trust.acme.test,192.0.2.7', 'TXT', 'trust.acme.test', 'verify=1', 'missing', []],
    ['', 'CNAME', 'trust.acme.test', 'c.host.test', 'missing', []],
    ['txt-record=_v.acme.test,verify=2', 'TXT', '_v.acme.test', 'verify=1', 'different', ['verify=2']],
    ['txt-record=_v.acme.test,VERIFY=1', 'TXT', '_v.acme.test', 'verify=1', 'different', ['VERIFY=1']],
    [
      'cname=trust.acme.test,d.host.test\nhost-record=d.host.test,192.0.2.7',
      'CNAME',
      'trust.acme.test',
      'c.host.test',
      'different',
      ['d.host.test'],
    ],
    ['host-record=acme.test,192.0.2.8', 'A', 'acme.test', '192.0.2.7', 'different', ['192.0.2.8']],
  ])('is not found in %j as %s %s %j', async (record, type, name, value, state, actual) => {
    expect(await checked(record.split('\n'), type, name, value)).toEqual({
      type,
      name,
      expected: value,
      state,
      actual,
    });
  });

  it('reports addresses instead of a CNAME, as at a flattened apex', async () => {
    const check = await checked(['host-record=acme.test,192.0.2.7,2001:db8::7'], 'CNAME', 'acme.test', 'c.host.test');
    expect(check).toMatchObject({ state: 'different', actual: ['A 192.0.2.7', 'AAAA 2001:db8::7'] });
  });
});

describe('a record that cannot be checked', () => {
  it.each([
    ['MX', 'acme.test', '10 mx.acme.test', 'unchecked', 'orgadm does not check records of this type'],
    ['', 'acme.test', 'x', 'unchecked', 'orgadm does not check records of this type'],
    ['TXT', 'acme.test', undefined, 'unchecked', 'the service returned no value'],
    ['TXT', 'not a name', 'x', 'unknown', 'the name is not a valid DNS name'],
    ['TXT', 'trust.other.test', 'x', 'unknown', 'the name server rejected the query (REFUSED)'],
  ])('is reported with the reason: type "%s", name "%s", value %j', async (type, name, value, state, error) => {
    expect(await checked([], type, name, value)).toEqual({
      type,
      name,
      expected: value ?? null,
      state,
      actual: [],
      error,
    });
  });
});

describe('checkRecords', () => {
  it('returns the checks in the order of the records', async () => {
    const { address } = opened(await startNameServer(['txt-record=n7.acme.test,x']));
    const records = Array.from({ length: 20 }, (_, at) => ({ type: 'TXT', name: `n${at}.acme.test`, value: 'x' }));
    const checks = await checkRecords(records, createLookup({ server: address, clock: systemClock }));
    expect(checks.map(({ name }) => name)).toEqual(records.map(({ name }) => name));
    expect(checks.filter(({ state }) => state === 'found').map(({ name }) => name)).toEqual(['n7.acme.test']);
  });
});

const lookupIn = async (records: readonly string[]) => {
  const { address } = opened(await startNameServer(records));
  return createLookup({ server: address, clock: systemClock });
};

describe('createLookup', () => {
  it('joins the strings of a TXT record and reads them as UTF-8', async () => {
    const long = 'x'.repeat(300);
    const lookup = await lookupIn([
      `txt-record=long.acme.test,${long}`,
      'txt-record=parts.acme.test,one,two',
      'txt-record=word.acme.test,größe',
    ]);
    expect(await lookup('TXT', 'long.acme.test')).toEqual({ kind: 'records', values: [long] });
    expect(await lookup('TXT', 'parts.acme.test')).toEqual({ kind: 'records', values: ['onetwo'] });
    expect(await lookup('TXT', 'word.acme.test')).toEqual({ kind: 'records', values: ['größe'] });
  });

  it('does not treat a rejection or a failure as proof that there are no records', async () => {
    const rejecting = await lookupIn([]);
    expect(await rejecting('TXT', 'trust.other.test')).toEqual({
      kind: 'unknown',
      reason: 'the name server rejected the query (REFUSED)',
    });
    const { address } = opened(await startFailingNameServer(SERVFAIL));
    expect(await createLookup({ server: address, clock: systemClock })('A', 'acme.test')).toEqual({
      kind: 'unknown',
      reason: 'the name server failed (SERVFAIL)',
    });
  });

  it('reports that nothing listens there', async () => {
    const gone = await startFailingNameServer(undefined);
    await gone.close();
    expect(await createLookup({ server: gone.address, clock: systemClock })('A', 'acme.test')).toEqual({
      kind: 'unknown',
      reason: 'the name server cannot be reached',
    });
  });

  it('stops waiting for a silent name server at its deadline', async () => {
    const clock = createTestClock();
    const server = opened(await startFailingNameServer(undefined));
    const found = createLookup({ server: server.address, clock })('A', 'acme.test');
    await server.queried;
    await clock.advance(LOOKUP_DEADLINE_MS);
    expect(await found).toEqual({ kind: 'unknown', reason: 'the name server does not respond' });
    expect(clock.waiting()).toEqual([]);
  });
});
