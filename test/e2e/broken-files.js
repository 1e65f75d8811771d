import fs from 'node:fs';
import { open } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const handle = await open(fileURLToPath(import.meta.url));
const files = Object.getPrototypeOf(handle);
await handle.close();
const { datasync } = files;
const { fsyncSync, renameSync, writeFileSync, writeSync } = fs;
const { rename } = fs.promises;
let isReached = false;

/** See `broken-files.d.ts`. */
export function breakFiles(breakAt) {
  const [call, how, at] = breakAt.split(':');
  const counts = { write: 0, sync: 0, rename: 0 };
  isReached = false;

  function turnOf(name) {
    counts[name]++;
    if (name !== call || counts[name] !== Number(at)) return undefined;
    isReached = true;
    return how;
  }

  function breakWrite(length, write) {
    const turn = turnOf('write');
    if (turn === 'before') die();
    if (turn === 'half' || turn === 'full') write(Math.floor(length / 2));
    if (turn === 'half') die();
    if (turn === 'full' || (how === 'full' && counts.write > Number(at)))
      throw failure('ENOSPC', 'no space left on device, write');
    const written = write(length);
    if (turn === 'after') die();
    return written;
  }

  fs.writeSync = (fd, buffer, offset, length, position) => {
    const write = (bytes) => writeSync(fd, buffer, offset, bytes, position);
    return breakWrite(length, write);
  };

  // Files that are replaced as a whole.
  fs.writeFileSync = (file, content, options) => {
    if (typeof file !== 'number') return writeFileSync(file, content, options);
    const bytes = Buffer.from(content);
    // As a text, it is written without `writeSync`, which would count it twice.
    breakWrite(bytes.length, (length) => writeFileSync(file, bytes.toString('utf8', 0, length)));
  };

  files.datasync = async function () {
    const turn = turnOf('sync');
    if (turn === 'before') await die();
    if (turn === 'fail') throw failure('EIO', 'i/o error, fdatasync');
    if (turn === 'slow') await delay(1_200);
    await datasync.call(this);
    if (turn === 'after') await die();
  };

  fs.fsyncSync = (fd) => {
    const turn = turnOf('sync');
    if (turn === 'before') die();
    if (turn === 'fail') throw failure('EIO', 'i/o error, fsync');
    fsyncSync(fd);
    if (turn === 'after') die();
  };

  fs.renameSync = (from, to) => {
    const turn = turnOf('rename');
    if (turn === 'before') die();
    renameSync(from, to);
    if (turn === 'after') die();
  };

  fs.promises.rename = async (from, to) => {
    const turn = turnOf('rename');
    if (turn === 'before') await die();
    await rename(from, to);
    if (turn === 'after') await die();
  };

  syncBuiltinESMExports();
}

/** See `broken-files.d.ts`. */
export function repairFiles() {
  Object.assign(fs, { fsyncSync, renameSync, writeFileSync, writeSync });
  fs.promises.rename = rename;
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
