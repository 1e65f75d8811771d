import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Luck } from './fault-plan.ts';
import type { World } from './operation.ts';
import { parseBody } from './request-body.ts';
import { matchRoute, type Route } from './router.ts';
import { type Answer, Refusal } from './sandbox-response.ts';

/** The target of a request: where it leads, if anywhere. */
export interface Target {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly match: { readonly route: Route; readonly pathParameter: string } | undefined;
}

/** Takes the target of a request apart. */
export function readTarget(request: IncomingMessage): Target {
  const [path = '', ...query] = (request.url ?? '').split('?');
  return { path, query: new URLSearchParams(query.join('?')), match: matchRoute(request.method ?? '', path) };
}

/**
 * Does what a request asks for, once its sender has proved to hold the key (interface 5).
 * @throws Refusal when it is refused; the reason of `signal` when the sandbox closes before it is done.
 */
export async function perform(
  request: IncomingMessage,
  target: Target,
  body: Buffer,
  luck: Luck,
  { world, apiKey, signal }: { world: World; apiKey: string; signal: AbortSignal },
): Promise<Answer> {
  if (!target.match) throw new Refusal(404, `Cannot ${request.method} ${target.path}`);
  const { route, pathParameter } = target.match;
  authenticate(request, apiKey);
  const parsed = parseBody(body, request.headers['content-type']);
  const begin = () => route.operation({ pathParameter, query: target.query, body: parsed, luck }, world);
  const inTime = <T>(step: () => T): T => {
    signal.throwIfAborted();
    return step();
  };
  if (route.method === 'GET') {
    const finish = begin();
    await pause(luck, world, signal);
    return inTime(finish);
  }
  // Without latency there is no gap between the two halves of a change, not even while the lock is waited for.
  if (luck.latencyMs === 0) return world.store.exclusively(() => inTime(() => begin()()));
  const finish = begin();
  await pause(luck, world, signal);
  return world.store.exclusively(() => inTime(finish));
}

async function pause({ latencyMs }: Luck, { clock }: World, signal: AbortSignal): Promise<void> {
  if (latencyMs > 0) await clock.sleep(latencyMs, signal);
}

function authenticate(request: IncomingMessage, apiKey: string): void {
  const key = request.headers['x-api-key'];
  if (key === undefined) throw new Refusal(401, 'Missing API key');
  if (!isEqual(String(key), apiKey)) throw new Refusal(401, 'Invalid or expired API key');
}

/** Takes the same time wherever the two differ. */
function isEqual(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
