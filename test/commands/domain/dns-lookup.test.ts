import { describe, expect, it } from 'vitest';
import { createLookup, LOOKUP_DEADLINE_MS } from '../../../src/commands/domain/dns-records.ts';
import { systemClock } from '../../../src/util/host.ts';
import { SERVFAIL, startFailingNameServer, startNameServer } from '../../helpers/name-server.ts';
import { closeAfterTests } from '../../helpers/opened.ts';
import { createTestClock } from '../../helpers/test-clock.ts';

const opened = closeAfterTests();

const lookupIn = async (records: readonly string[]) => {
  const { address } = opened(await startNameServer(records));
  return createLookup({ server: address, clock: systemClock });
};

describe('createLookup', () => {
  it('returns the values of each type', async () => {
    const lookup = await lookupIn([
      'txt-record=_v.acme.test,"a b, c"',
      'cname=trust.acme.test,c.host.test',
      'host-record=c.host.test,192.0.2.7,2001:db8::7',
    ]);
    expect(await lookup('TXT', '_v.acme.test')).toEqual({ kind: 'records', values: ['a b, c'] });
    expect(await lookup('CNAME', 'trust.acme.test')).toEqual({ kind: 'records', values: ['c.host.test'] });
    expect(await lookup('A', 'c.host.test')).toEqual({ kind: 'records', values: ['192.0.2.7'] });
    expect(await lookup('AAAA', 'c.host.test')).toEqual({ kind: 'records', values: ['2001:db8::7'] });
  });

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

  it('distinguishes a name without such records from a missing name', async () => {
    const lookup = await lookupIn(['host-record=acme.test,192.0.2.7']);
    expect(await lookup('TXT', 'acme.test')).toEqual({ kind: 'none', isName: true });
    expect(await lookup('TXT', 'gone.acme.test')).toEqual({ kind: 'none', isName: false });
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
    await server.asked;
    await clock.advance(LOOKUP_DEADLINE_MS);
    expect(await found).toEqual({ kind: 'unknown', reason: 'the name server does not respond' });
    expect(clock.waiting()).toEqual([]);
  });

  it('sends no query for an invalid name', async () => {
    const lookup = await lookupIn([]);
    expect(await lookup('TXT', 'a..test')).toEqual({
      kind: 'unknown',
      reason: 'the name is not a valid DNS name',
    });
  });
});
