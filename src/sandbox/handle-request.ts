import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { perform, readTarget } from './dispatch.ts';
import { renderRefusal } from './error-response.ts';
import { drawLuck } from './fault-plan.ts';
import { type Faults, STRIKES } from './faults.ts';
import { refuseForeignRequest } from './local-request.ts';
import type { World } from './operation.ts';
import { createRateLimit } from './rate-limit.ts';
import { readBody } from './request-body.ts';
import { sendAnswer, sendStruck } from './respond.ts';
import { type Answer, Refusal } from './sandbox-response.ts';

export interface ExchangeSetup {
  readonly world: World;
  readonly faults: Faults;
  readonly seed: number;
  readonly apiKey: string;
  readonly log: (line: string) => void;
  /** Aborted when the sandbox closes: requests that are not done by then are dropped. */
  readonly signal: AbortSignal;
}

export type Exchange = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Makes the function that takes one request from its arrival to its answer or its fault. It never rejects. */
export function createExchange(setup: ExchangeSetup): Exchange {
  const { world, faults, seed, log, signal } = setup;
  const { clock, variants } = world;
  const shape = variants['error-shape'];
  const pace = { slowMs: faults.slow, clock, signal };
  const overLimit = createRateLimit(faults.limit ?? faults['limit-no-header'], clock);
  let requests = 0;

  const refuseOverLimit = (route: string): void => {
    const seconds = overLimit(route);
    if (seconds === undefined) return;
    const headers: Record<string, string> = faults.limit ? { 'retry-after': String(seconds) } : {};
    throw new Refusal(429, 'ThrottlerException: Too Many Requests', headers);
  };

  const renderFailure = (cause: unknown): Answer => {
    if (cause instanceof Refusal) return renderRefusal(cause, shape);
    log(`internal error: ${cause instanceof Error ? cause.message : 'unknown'}`);
    return renderRefusal(new Refusal(500, 'Internal server error'), shape);
  };

  return async (request, response) => {
    response.setHeader('x-request-id', `req_${randomUUID()}`);
    const foreign = refuseForeignRequest(request);
    if (foreign !== undefined) {
      await sendAnswer(response, renderRefusal(foreign, shape), pace);
      return log(`rejected: ${String(foreign.words)}`);
    }
    const began = clock.now();
    requests += 1;
    const luck = drawLuck(faults, seed, requests);
    const strike = luck.strike && STRIKES[luck.strike];
    const target = readTarget(request);
    // Only the pattern is logged: a path that is not ours may hold anything.
    const place = target.match?.route.pattern ?? '(unknown path)';
    const report = (outcome: string | number, note = '') => {
      const fault = luck.strike ? ` fault ${luck.strike}` : '';
      log(`${request.method} ${place} ${outcome} ${clock.now() - began}ms${note && ` ${note}`}${fault}`);
    };

    let answer: Answer | undefined;
    try {
      const body = await readBody(request);
      refuseOverLimit(place);
      if (strike?.when !== 'before') answer = await perform(request, target, body, luck, setup);
    } catch (cause) {
      if (signal.aborted || response.destroyed) return report('gone');
      answer = renderFailure(cause);
    }
    if (strike) sendStruck(response, strike, answer, shape);
    else if (answer) await sendAnswer(response, answer, pace);
    report(strike?.sees ?? answer?.status ?? 'none', answer?.note);
  };
}
