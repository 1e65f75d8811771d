import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { API_KEY } from '../helpers/api-key.ts';
import { createOrganization, type Json } from '../helpers/organization.ts';
import { type Recorded, startScriptedService } from '../helpers/scripted-service.ts';
import type { Behaviors, Operation, ReceivedRequest, Rejection } from './behaviors.ts';
import { DOMAIN, EXISTING_MEMBERS, FINDINGS, ROLE, UNKNOWN_USERS } from './fixtures.ts';

export interface ContractService {
  /** Includes `behaviors.base`. */
  baseUrl: string;
  /** Number of memberships that this service created, by user. */
  added: ReadonlyMap<string, number>;
  /** The responses to accepted requests, in order. */
  responses: readonly { operation: Operation; status: number; received: ReceivedRequest; value: unknown }[];
  /** Requests that violate the interface: each is a fault of the client. */
  faults: readonly string[];
  close(): Promise<void>;
}

const MOST_PIECES = 5_000;

/** Starts a service on loopback that implements the interface (4.1 to 4.4) with these behaviors. */
export async function startContractService(behaviors: Behaviors): Promise<ContractService> {
  const added = new Map<string, number>();
  const faults: string[] = [];
  const responses: ContractService['responses'][number][] = [];
  const prefix = new URL(behaviors.base ?? '', 'http://localhost').pathname.replace(/\/+$/, '');
  let before = 0;

  const organization = createOrganization({
    rejects: (userId) => (UNKNOWN_USERS.has(userId) ? `User ${userId} not found` : undefined),
    memberError: (userId) =>
      behaviors.memberMessage ?? `User ${userId}@acme.test is already a member of this organization`,
    indexBase: behaviors.indexBase,
    authenticatedUser: { id: 'usr_owner', email: 'owner@acme.test' },
  });
  for (const userId of EXISTING_MEMBERS) organization.members.set(userId, 1);

  const server = await startScriptedService(async (request, response) => {
    try {
      await handle(request, response);
    } catch (error) {
      faults.push(String(error));
      response.destroy();
    }
    return undefined;
  });

  async function handle(request: Recorded, response: ServerResponse): Promise<void> {
    const url = new URL(request.path, 'http://localhost');
    const path = url.pathname.slice(prefix.length);
    const operation = url.pathname.startsWith(prefix) ? operationOf(`${request.method} ${path}`) : undefined;
    if (operation === undefined) throw new Error(`there is no ${request.method} ${request.path}`);
    if (request.headers['x-api-key'] !== API_KEY) throw new Error('there is no key');
    const body: Json = operation === 'role' || operation === 'people' ? JSON.parse(request.body) : {};
    const members = operation === 'people' ? (body.members as Json[]) : [];
    for (const member of members) checkEntry(member, behaviors.label ?? 'deviceMgmtLabelId');
    const received: ReceivedRequest = { operation, before: before++, members };
    const rejection =
      behaviors.reject?.(received) ?? unknownLabel(members, behaviors) ?? unknownParameter(received, url, behaviors);
    if (rejection !== undefined) return send(response, rejection.status, rejection.body ?? '', rejection.headers);
    const id = decodeURIComponent(path.split('/').at(-1) ?? '');
    const value = executeRequest(operation, { id, url, body, members });
    const status = behaviors.status ?? (operation === 'people' ? 201 : 200);
    responses.push({ operation, status, received, value });
    send(response, status, value);
  }

  function executeRequest(
    operation: Operation,
    { id, url, body, members }: { id: string; url: URL; body: Json; members: readonly Json[] },
  ): unknown {
    const changed = <T>(change: ((value: T) => unknown) | undefined, value: T) => (change ? change(value) : value);
    switch (operation) {
      case 'role': {
        const { name = ROLE.name, permissions = ROLE.permissions } = body;
        return changed(behaviors.role, { ...ROLE, id, name, permissions });
      }
      case 'people':
        return changed(behaviors.people, addMembers(members));
      case 'domain':
        return changed(behaviors.domain, { ...DOMAIN, domain: url.searchParams.get('domain') });
      case 'findings': {
        const task = url.searchParams.get(behaviors.taskParameter?.name ?? 'taskId');
        return changed(behaviors.findings, task === null ? FINDINGS : FINDINGS.filter(({ taskId }) => taskId === task));
      }
    }
  }

  function addMembers(members: readonly Json[]) {
    const bulk = organization.receive(members);
    for (const userId of bulk.add()) added.set(userId, (added.get(userId) ?? 0) + 1);
    return bulk.result();
  }

  function send(response: ServerResponse, status: number, body: unknown, headers: Rejection['headers'] = {}): void {
    const plain = typeof body === 'string' && status >= 400;
    const text = status === 204 || body === undefined ? '' : plain ? body : JSON.stringify(body);
    const changed = plain || text === '' ? text : (behaviors.text?.(text) ?? text);
    const reported = behaviors.mark && text !== '' ? `\ufeff${changed}` : changed;
    const encoded = behaviors.encoding === undefined ? Buffer.from(reported) : gzipSync(reported);
    const defaults = {
      'Content-Type': 'application/json',
      'X-Request-Id': 'req_1',
      'Content-Encoding': behaviors.encoding,
    };
    for (const [name, value] of Object.entries({ ...defaults, ...behaviors.headers, ...headers })) {
      if (value != null) response.setHeader(name, value);
    }
    response.statusCode = status;
    const size = Math.max(behaviors.pieces ?? encoded.length, Math.ceil(encoded.length / MOST_PIECES));
    if (behaviors.pieces === undefined && status !== 204) response.setHeader('Content-Length', encoded.length);
    for (let at = 0; at < encoded.length; at += size) response.write(encoded.subarray(at, at + size));
    response.end();
  }

  return {
    baseUrl: `${server.url}${behaviors.base ?? ''}`,
    added,
    responses,
    faults,
    close: () => server.close(),
  };
}

function operationOf(line: string): Operation | undefined {
  if (/^PATCH \/v1\/roles\/[^/]+$/.test(line)) return 'role';
  if (line === 'POST /v1/people/bulk') return 'people';
  if (line === 'GET /v1/trust-portal/domain/status') return 'domain';
  return line === 'GET /v1/findings' ? 'findings' : undefined;
}

/** Checks the types of interface 4.2, because services store `"false"` in quotes as true. */
function checkEntry(entry: Json, label: string): void {
  const { userId, role, department = '', isActive = true } = entry;
  const texts = [userId, role, department].every((value) => typeof value === 'string');
  const number = entry[label] ?? entry.deviceMgmtLabelId ?? 0;
  if (!texts || typeof isActive !== 'boolean' || !Number.isInteger(number)) {
    throw new Error(`the entry ${JSON.stringify(entry)} has wrong types`);
  }
}

function unknownLabel(members: readonly Json[], { label }: Behaviors): Rejection | undefined {
  const rejected = members.flatMap((entry, at) => (label !== undefined && 'deviceMgmtLabelId' in entry ? [at] : []));
  if (rejected.length === 0) return undefined;
  const message = rejected.map((at) => `members.${at}.property deviceMgmtLabelId should not exist`);
  return { status: 400, body: { message, error: 'Bad Request', statusCode: 400 } };
}

function unknownParameter(
  { operation }: ReceivedRequest,
  url: URL,
  { taskParameter }: Behaviors,
): Rejection | undefined {
  if (operation !== 'findings' || taskParameter?.others !== 'reject') return undefined;
  const unknown = [...url.searchParams.keys()].find((name) => name !== taskParameter.name);
  if (unknown === undefined) return undefined;
  return { status: 400, body: { message: `property ${unknown} should not exist`, statusCode: 400 } };
}
