import type { IncomingMessage } from 'node:http';
import { type Answer, Refusal } from './answer.ts';
import type { Luck } from './luck.ts';
import type { World } from './operation.ts';
import { parseBody } from './request-body.ts';
import { matchRoute, type Route } from './routes.ts';

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
  const finish = route.operation({ pathParameter, query: target.query, body: parsed, luck }, world);
  if (luck.latencyMs > 0) await world.clock.sleep(luck.latencyMs, signal);
  signal.throwIfAborted();
  return finish();
}

function authenticate(request: IncomingMessage, apiKey: string): void {
  const key = request.headers['x-api-key'];
  if (key === undefined) throw new Refusal(401, 'Missing API key');
  if (key !== apiKey) throw new Refusal(401, 'Invalid or expired API key');
}
