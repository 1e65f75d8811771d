/*
 * The limit: posts the same body repeatedly, parses the responses and reads only their counts.
 * Arguments: origin and path to post to, rows in all, rows in a body, connections.
 */
import { Pool } from 'undici';

const [target, rows, batchSize, connections] = process.argv.slice(2);
const { origin, pathname } = new URL(target);
const members = Array.from({ length: Number(batchSize) }, (_, at) => ({
  // As long as a UUID.
  userId: String(at).padStart(36, 'u'),
  role: 'member',
  department: 'it',
  isActive: true,
}));
const body = JSON.stringify({ members });
const headers = { 'content-type': 'application/json', 'x-api-key': 'bench' };
const pool = new Pool(origin, { connections: Number(connections), pipelining: 1 });

let left = Math.ceil(Number(rows) / Number(batchSize));
async function post() {
  while (left-- > 0) {
    const response = await pool.request({ method: 'POST', path: pathname, headers, body });
    if (response.statusCode !== 201) throw new Error(`status ${response.statusCode}`);
    const { summary } = await response.body.json();
    if (summary.successful !== Number(batchSize)) throw new Error('not all were created');
  }
}

await Promise.all(Array.from({ length: Number(connections) }, post));
await pool.close();
