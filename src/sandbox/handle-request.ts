import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../util/clock.ts';
import { planFaults } from './fault-plan.ts';
import { type Faults, INJECTED_FAULTS, type RequestRate } from './faults.ts';
import { refuseForeignRequest } from './local-request.ts';
import { RequestRejection, readRequestBody, type SandboxContext, type SandboxResponse } from './operation.ts';
import { renderRejection, respond, respondWithFault } from './respond.ts';
import { dispatch, parseTarget } from './router.ts';

export interface HandlerOptions {
  readonly context: SandboxContext;
  readonly faults: Faults;
  readonly seed: number;
  readonly apiKey: string;
  readonly log: (line: string) => void;
  /** Aborted when the sandbox closes: requests that are not done by then are dropped. */
  readonly signal: AbortSignal;
}

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Makes the function that takes one request from its arrival to its answer or its fault. It never rejects. */
export function createRequestHandler(setup: HandlerOptions): RequestHandler {
  const { context, faults, seed, log, signal } = setup;
  const { clock, variants } = context;
  const shape = variants['error-shape'];
  const pace = { slowMs: faults.slow, clock, signal };
  const overLimit = createRateLimit(faults.limit ?? faults['limit-no-header'], clock);
  let requests = 0;

  const rejectOverLimit = (route: string): void => {
    const seconds = overLimit(route);
    if (seconds === undefined) return;
    const headers: Record<string, string> = faults.limit ? { 'retry-after': String(seconds) } : {};
    throw new RequestRejection(429, 'ThrottlerException: Too Many Requests', headers);
  };

  const renderFailure = (cause: unknown): SandboxResponse => {
    if (cause instanceof RequestRejection) return renderRejection(cause, shape);
    log(`internal error: ${cause instanceof Error ? cause.message : 'unknown'}`);
    return renderRejection(new RequestRejection(500, 'Internal server error'), shape);
  };

  return async (request, response) => {
    response.setHeader('x-request-id', `req_${randomUUID()}`);
    const foreign = refuseForeignRequest(request);
    if (foreign !== undefined) {
      await respond(response, renderRejection(foreign, shape), pace);
      return log(`rejected: ${String(foreign.messages)}`);
    }
    const began = clock.now();
    requests += 1;
    const faultPlan = planFaults(faults, seed, requests);
    const injected = faultPlan.fault && INJECTED_FAULTS[faultPlan.fault];
    const target = parseTarget(request);
    // Only the pattern is logged: a path that is not ours may hold anything.
    const route = target.match?.route.pattern ?? '(unknown path)';
    const report = (outcome: string | number, note = '') => {
      const fault = faultPlan.fault ? ` fault ${faultPlan.fault}` : '';
      log(`${request.method} ${route} ${outcome} ${clock.now() - began}ms${note && ` ${note}`}${fault}`);
    };

    let result: SandboxResponse | undefined;
    try {
      const body = await readRequestBody(request);
      rejectOverLimit(route);
      if (injected?.when !== 'before') result = await dispatch(request, target, body, faultPlan, setup);
    } catch (cause) {
      if (signal.aborted || response.destroyed) return report('gone');
      result = renderFailure(cause);
    }
    if (injected) respondWithFault(response, injected, result, shape);
    else if (result) await respond(response, result, pace);
    report(injected?.effect ?? result?.status ?? 'none', result?.note);
  };
}

/**
 * Counts the requests of each route in windows that begin with the first of them. The returned function counts one,
 * and gives the whole seconds to wait if it is too many, else undefined.
 */
function createRateLimit(rate: RequestRate | undefined, clock: Clock): (route: string) => number | undefined {
  const windows = new Map<string, { endsAt: number; used: number }>();
  return (route) => {
    if (!rate) return undefined;
    const now = clock.now();
    let current = windows.get(route);
    if (!current || now >= current.endsAt) {
      current = { endsAt: now + rate.windowMs, used: 0 };
      windows.set(route, current);
    }
    current.used += 1;
    return current.used > rate.requests ? Math.max(1, Math.ceil((current.endsAt - now) / 1000)) : undefined;
  };
}
