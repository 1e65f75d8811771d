import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../src/client/http/service-error.ts';
import type { DomainCheck } from '../../../src/commands/domain/check-domain.ts';
import { renderPollPause } from '../../../src/commands/domain/poll-domains.ts';

const FAILED = new ServiceError('service-failed', 6, 'failed (503)', {
  kind: 'rejected',
  processed: 'maybe',
  status: 503,
});

describe('the progress line', () => {
  const check = (domain: string, verified: boolean, misconfigured?: unknown): DomainCheck => ({
    domain,
    ready: false,
    status: { domain, verified, misconfigured },
  });

  it.each([
    [check('a.test', false, true), 'a.test: not verified, misconfigured'],
    [check('a.test', true, null), 'a.test: configuration unknown'],
    [{ domain: 'a.test', ready: false, error: FAILED }, 'a.test: failed (503)'],
  ])('shows the state, the next check and the time left: $1', (one, state) => {
    expect(renderPollPause({ waitingFor: [one], nextCheckAt: 9_000, endsAt: 860_000 }, 0, 80)).toBe(
      `${state} · next check in 9 s · 14 m 20 s left`,
    );
  });

  it.each([
    [80, 'a.test: not verified; b.test: misconfigured · checking · 1 s left'],
    [50, 'a.test: not verified (and 1 more) · checking'],
    [40, 'a.test: not verified (and 1 more)'],
  ])('has the first domain and as many times as fit %d columns', (columns, line) => {
    const pause = {
      waitingFor: [check('a.test', false), check('b.test', true, true)],
      nextCheckAt: 9_000,
      endsAt: 8_000,
    };
    expect(renderPollPause(pause, 9_000, columns)).toBe(line);
  });
});
