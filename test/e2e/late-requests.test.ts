import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startOrgadm } from './journal-process.ts';

const USERS = Array.from({ length: 20 }, (_, at) => `usr_${at + 1}`);
/** How long the first request takes: longer than the tool's timeout, shorter than the lifetime. */
const LATE_MS = 2_500;
const FLAGS = ['--timeout', '1s', '--quiet-period', '200ms', '--request-lifetime', '4s', '--json'];

interface SlowService {
  url: string;
  /** Memberships of each user. */
  members: Map<string, number>;
  /** Resolves when the first request has arrived. */
  arrived: Promise<unknown>;
  /** Resolves when the first request has been applied. */
  applied: Promise<unknown>;
}

/** A service without a uniqueness check that looks up members when a request arrives, and processes the first one slowly. */
async function startSlowService(): Promise<SlowService> {
  const members = new Map<string, number>();
  const events = new EventTarget();
  const arrived = once(events, 'arrived');
  const applied = once(events, 'applied');
  let requests = 0;
  const server = createServer(async (request, response) => {
    const body = (await json(request)) as { members: { userId: string }[] };
    const userIds = body.members.map(({ userId }) => userId);
    const fresh = userIds.filter((userId) => !members.has(userId));
    const insert = () => {
      for (const userId of fresh) members.set(userId, (members.get(userId) ?? 0) + 1);
    };
    if (++requests === 1) {
      events.dispatchEvent(new Event('arrived'));
      setTimeout(() => {
        insert();
        events.dispatchEvent(new Event('applied'));
        response.destroy();
      }, LATE_MS);
      return;
    }
    insert();
    const error = (userId: string) => `User ${userId}@example.com is already a member of this organization`;
    const errors = userIds.flatMap((userId, index) =>
      fresh.includes(userId) ? [] : [{ index, userId, error: error(userId) }],
    );
    const created = fresh.map((userId) => ({ id: `mem_${userId}`, userId, organizationId: 'org_1', isActive: true }));
    response.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify({ created, errors }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, members, arrived, applied };
}

function folderWithList(): { home: string; list: string } {
  const home = mkdtempSync(join(tmpdir(), 'orgadm-late-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const list = join(home, 'members.csv');
  writeFileSync(list, `userId,role\n${USERS.map((userId) => `${userId},member\n`).join('')}`);
  return { home, list };
}

function expectOnlyTheProbeDoubled(service: SlowService, code: number | null, stdout: string): void {
  const doubled = [...service.members].filter(([, count]) => count > 1).map(([userId]) => userId);
  expect(doubled).toEqual(['usr_20']);
  expect(JSON.parse(stdout)).toMatchObject({
    summary: { total: 20, created: 1, recovered: 19, unknown: 0, duplicates: 1 },
    duplicates: [{ line: 21, userId: 'usr_20', memberIds: ['mem_usr_20'], certain: false }],
  });
  expect(code).toBe(3);
}

describe('the built program against a service that applies a request late', () => {
  it('adds only the probe twice after its own timeout, and reports it', async () => {
    const service = await startSlowService();
    const { home, list } = folderWithList();
    const { code, stdout } = await startOrgadm(home, ['people', 'bulk-add', list, '--base-url', service.url, ...FLAGS])
      .ended;
    expectOnlyTheProbeDoubled(service, code, stdout);
  }, 30_000);

  it('adds only the probe twice when it was killed and resumes at once', async () => {
    const service = await startSlowService();
    const { home, list } = folderWithList();
    const argv = ['people', 'bulk-add', list, '--base-url', service.url, ...FLAGS];
    const first = startOrgadm(home, argv);
    await service.arrived;
    first.child.kill('SIGKILL');
    expect((await first.ended).signal).toBe('SIGKILL');
    const { code, stdout } = await startOrgadm(home, [...argv, '--resume']).ended;
    await service.applied;
    expectOnlyTheProbeDoubled(service, code, stdout);
  }, 30_000);
});
