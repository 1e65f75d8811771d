import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** How the service responds before it adds anyone: with a status and a body, for the first half of the rows, or not at all. */
export type EarlyResponse = { status: number; body: string } | 'half' | 'reset' | 'none';

export interface SlowServiceOptions {
  /** How the service responds to a request; undefined to respond once everyone is added. */
  early?: (request: { number: number; userIds: readonly string[] }) => EarlyResponse | undefined;
  /** How long it takes to add the people of a request, in milliseconds; undefined if it never adds them. */
  lateMs: (request: { number: number; userIds: readonly string[] }) => number | undefined;
}

export interface SlowService {
  readonly url: string;
  /** Number of memberships of each user. */
  readonly members: Map<string, number>;
  /** Number of rows in each request. */
  readonly sizes: number[];
  /** Resolves when a request has arrived. */
  arrival(number: number): Promise<void>;
  /** Resolves when everyone in the requests so far has been added. */
  settled(): Promise<void>;
}

/**
 * Starts a service without a uniqueness check: it looks up the members when a request arrives, and adds people when it ends,
 * also if the client has left. A row that is sent again too early is added twice.
 *
 * @param onEnd called with what closes the service: tests that run at the same time have their own
 */
export async function startSlowService(
  { early, lateMs }: SlowServiceOptions,
  onEnd: (close: () => void) => void,
): Promise<SlowService> {
  const members = new Map<string, number>();
  const sizes: number[] = [];
  const pending = new Set<Promise<void>>();
  const watchers = new Set<() => void>();
  const server = createServer(async (incoming, response) => {
    response.on('error', () => {});
    if (incoming.method === 'GET') {
      response.writeHead(200, { 'content-type': 'application/json' }).end('[]');
      return;
    }
    const body = (await json(incoming)) as { members: { userId: string }[] };
    const userIds = body.members.map(({ userId }) => userId);
    const request = { number: sizes.push(userIds.length), userIds };
    for (const check of watchers) check();
    const added = userIds.filter((userId) => !members.has(userId));
    const tookMs = lateMs(request);
    const insertion = after(tookMs ?? 0, () => {
      if (tookMs !== undefined) for (const userId of added) members.set(userId, (members.get(userId) ?? 0) + 1);
    });
    pending.add(insertion);
    void insertion.then(() => pending.delete(insertion));
    const kind = early?.(request);
    if (kind === undefined) await insertion;
    if (kind === 'reset') incoming.socket.resetAndDestroy();
    else if (kind === undefined) respond(response, 201, resultOf(userIds, added));
    else if (kind === 'half') respond(response, 201, resultOf(userIds.slice(0, userIds.length / 2), added));
    else if (kind !== 'none') response.writeHead(kind.status, { 'content-type': 'text/html' }).end(kind.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onEnd(() => {
    server.close();
    server.closeAllConnections();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    members,
    sizes,
    arrival: (number) =>
      new Promise((resolve) => {
        const check = () => {
          if (sizes.length >= number) resolve();
        };
        watchers.add(check);
        check();
      }),
    async settled() {
      await Promise.all(pending);
    },
  };
}

function after(ms: number, run: () => void): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(() => {
      run();
      resolve();
    }, ms);
  });
}

function resultOf(userIds: readonly string[], added: readonly string[]) {
  return {
    created: userIds
      .filter((userId) => added.includes(userId))
      .map((userId) => ({ id: `mem_${userId}`, userId, organizationId: 'org_1' })),
    errors: userIds.flatMap((userId, index) =>
      added.includes(userId)
        ? []
        : [{ index, userId, error: `User ${userId}@example.com is already a member of this organization` }],
    ),
  };
}

function respond(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
