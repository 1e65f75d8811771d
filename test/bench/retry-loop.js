/*
 * A loop that obeys Retry-After: posts one body after the other, and waits as long as each rejection asks.
 * Arguments: origin and path to post to, requests, rows in a body.
 */
import { setTimeout } from 'node:timers/promises';
import { Pool } from 'undici';
import { userId } from './member-lists.js';

const [target, requests, batchSize] = process.argv.slice(2);
const { origin, pathname } = new URL(target);
const members = Array.from({ length: Number(batchSize) }, (_, at) => ({ userId: userId(at + 1), role: 'member' }));
const body = JSON.stringify({ members });
const headers = { 'content-type': 'application/json', 'x-api-key': 'bench' };
const pool = new Pool(origin, { connections: 1, pipelining: 1 });

for (let left = Number(requests); left > 0; ) {
  const response = await pool.request({ method: 'POST', path: pathname, headers, body });
  await response.body.dump();
  if (response.statusCode === 429) await setTimeout(Number(response.headers['retry-after']) * 1_000);
  else if (response.statusCode === 201) left--;
  else throw new Error(`status ${response.statusCode}`);
}
await pool.close();
