/* The tool, with its journal's file ending in the midst of a given call. BREAK_AT is `<call>:<how>:<n>`: at the n-th
 * write or sync of the journal the process kills itself `before`, `half` way through or `after` it; `full` lets the write
 * and all that follow run out of space half way, `fail` lets the sync fail as a dying disk does. */
import fs from 'node:fs';
import { open } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const [call, how, at] = process.env.BREAK_AT.split(':');
const handle = await open(fileURLToPath(import.meta.url));
const files = Object.getPrototypeOf(handle);
await handle.close();
const { datasync } = files;
const { writeSync } = fs;
let writes = 0;
let syncs = 0;

fs.writeSync = (fd, buffer, offset, length, position) => {
  const turn = turnOf('write', ++writes);
  if (turn === 'before') die();
  if (turn === 'half' || turn === 'full') writeSync(fd, buffer, offset, Math.floor(length / 2), position);
  if (turn === 'half') die();
  if (turn === 'full' || (how === 'full' && writes > Number(at)))
    throw failure('ENOSPC', 'no space left on device, write');
  const written = writeSync(fd, buffer, offset, length, position);
  if (turn === 'after') die();
  return written;
};

files.datasync = async function () {
  const turn = turnOf('sync', ++syncs);
  if (turn === 'before') await die();
  if (turn === 'fail') throw failure('EIO', 'i/o error, fdatasync');
  await datasync.call(this);
  if (turn === 'after') await die();
};

function turnOf(name, count) {
  return name === call && count === Number(at) ? how : undefined;
}

function die() {
  process.kill(process.pid, 'SIGKILL');
  return new Promise(() => {});
}

function failure(code, text) {
  return Object.assign(new Error(`${code}: ${text}`), { code });
}

await import('../../bin/orgadm.js');
