import fs from 'node:fs';
import { open } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const handle = await open(fileURLToPath(import.meta.url));
const files = Object.getPrototypeOf(handle);
await handle.close();
const { datasync } = files;
const { fsyncSync, writeFileSync, writeSync } = fs;
let isReached = false;

/** See `broken-files.d.ts`. */
export function breakFiles(breakAt) {
  const [call, how, at] = breakAt.split(':');
  const counts = { write: 0, sync: 0 };
  isReached = false;

  /** Counts a call. Returns how it breaks if it is its turn. */
  function turnOf(name) {
    counts[name]++;
    if (name !== call || counts[name] !== Number(at)) return undefined;
    isReached = true;
    return how;
  }

  function breakWrite(length, write) {
    const turn = turnOf('write');
    if (turn !== undefined) write(Math.floor(length / 2));
    if (turn === 'half') die();
    if (turn === 'full' || (how === 'full' && counts.write > Number(at)))
      throw failure('ENOSPC', 'no space left on device, write');
    return write(length);
  }

  fs.writeSync = (fd, buffer, offset, length, position) =>
    breakWrite(length, (bytes) => writeSync(fd, buffer, offset, bytes, position));

  // Files that are replaced as a whole.
  fs.writeFileSync = (file, content, options) => {
    if (typeof file !== 'number') return writeFileSync(file, content, options);
    const bytes = Buffer.from(content);
    // As a text, it is written without `writeSync`, which would count it twice.
    breakWrite(bytes.length, (length) => writeFileSync(file, bytes.toString('utf8', 0, length)));
  };

  files.datasync = async function () {
    const turn = turnOf('sync');
    if (turn === 'fail') throw failure('EIO', 'i/o error, fdatasync');
    if (turn === 'slow') await delay(1_200);
    await datasync.call(this);
    if (turn === 'after') await die();
  };

  fs.fsyncSync = (fd) => {
    const turn = turnOf('sync');
    if (turn === 'fail') throw failure('EIO', 'i/o error, fsync');
    fsyncSync(fd);
    if (turn === 'after') die();
  };

  syncBuiltinESMExports();
}

/** See `broken-files.d.ts`. */
export function repairFiles() {
  Object.assign(fs, { fsyncSync, writeFileSync, writeSync });
  files.datasync = datasync;
  syncBuiltinESMExports();
  return isReached;
}

function die() {
  process.kill(process.pid, 'SIGKILL');
  return new Promise(() => {});
}

function failure(code, text) {
  return Object.assign(new Error(`${code}: ${text}`), { code });
}

// Node.js loads this file before the program that is to be killed.
if (process.env.BREAK_AT !== undefined) breakFiles(process.env.BREAK_AT);
