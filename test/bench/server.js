/*
 * The service that the benchmark sends to, a process of its own: it does as little as it can, so that what is measured
 * is the client. Sends its port to the parent. The first segment of the path selects the response:
 *   /ok        every entry is created
 *   /slow      as /ok, after 200 ms for a batch and 20 ms for a read, as real services take
 *   /rejecting  every entry but the first is rejected, with a message of its own
 *   /stalled/<ms>/<client>  as /ok, but until so long after the first batch of a client, a batch takes until then, however small
 *   /limited/<sliding|window>/<headers>/<requests>/<seconds>/<client>  as /ok, with a limit for each client
 */
import { createServer } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { createRateLimiter } from '../helpers/rate-limits.js';
import { findingsArray } from './findings-body.js';

const USER_ID = '"userId":"';
const AFTER_ROLE =
  '","role":"member","department":"it","isActive":true,"createdAt":"2026-03-01T09:00:00.000Z","user":{"id":"';
const AFTER_USER = '","emailVerified":true,"createdAt":"2025-11-20T08:30:00.000Z"}}';

/** The ids in a body of ours, which has no white space and no escapes. */
function userIds(body) {
  const found = [];
  for (let at = body.indexOf(USER_ID); at >= 0; at = body.indexOf(USER_ID, at)) {
    const start = at + USER_ID.length;
    at = body.indexOf('"', start);
    found.push(body.slice(start, at));
  }
  return found;
}

/** A created member of about 300 bytes. */
function member(userId) {
  const name = userId.slice(-12);
  return `{"id":"mem_${name}","organizationId":"org_bench","userId":"${userId}${AFTER_ROLE}${userId}","name":"User ${name}","email":"${name}@example.com${AFTER_USER}`;
}

function bulkBody(mode, ids) {
  const isRejecting = mode === 'rejecting';
  const created = (isRejecting ? ids.slice(0, 1) : ids).map(member);
  const errors = !isRejecting
    ? []
    : ids.slice(1).map((userId, at) => {
        const message = `User ${userId} is not known to this service and cannot be added`;
        return `{"index":${at + 1},"userId":"${userId}","error":"${message}"}`;
      });
  const summary = `{"total":${ids.length},"successful":${created.length},"failed":${errors.length}}`;
  return `{"created":[${created}],"errors":[${errors}],"summary":${summary},"authType":"api-key"}`;
}

/** How long the service of `/slow` takes for a request, in milliseconds. */
const SLOW_MS = { GET: 20, POST: 200 };

const limiters = new Map();

/** Counts a request to a path below `/limited`. */
function countRequest(kind, announced, requests, seconds, client) {
  const key = [kind, announced, client].join(' ');
  const rule = { requests: Number(requests), periodMs: Number(seconds) * 1_000, slides: kind === 'sliding', announced };
  if (!limiters.has(key)) limiters.set(key, createRateLimiter(rule));
  return limiters.get(key)(Date.now());
}

/** When the lock of a client is released, in milliseconds since the epoch. */
const releases = new Map();

/** Waits until the lock is released that begins with the first request of a client. */
async function waitForLock(ms, client) {
  if (!releases.has(client)) releases.set(client, Date.now() + Number(ms));
  await setTimeout(Math.max(0, releases.get(client) - Date.now()));
}

const server = createServer(async (request, response) => {
  const url = new URL(request.url, 'http://localhost');
  response.setHeader('content-type', 'application/json');
  if (url.pathname.startsWith('/slow/')) await setTimeout(SLOW_MS[request.method]);
  if (request.method === 'GET') {
    // An import begins with a read of the findings of a task that does not exist.
    findingsArray(Number(url.searchParams.get('taskId')) || 0).pipe(response);
    return;
  }
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', async () => {
    const [, mode, ...limit] = url.pathname.split('/');
    if (mode === 'stalled') await waitForLock(...limit);
    response.statusCode = 201;
    if (mode === 'limited') {
      const { isOver, headers } = countRequest(...limit);
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
      if (isOver) response.statusCode = 429;
      if (isOver) return response.end('{"message":"Too many requests","statusCode":429}');
    }
    response.end(Buffer.from(bulkBody(mode, userIds(Buffer.concat(chunks).toString('latin1'))), 'latin1'));
  });
});

server.listen(0, '127.0.0.1', () => process.send(server.address().port));
process.on('disconnect', () => process.exit());
