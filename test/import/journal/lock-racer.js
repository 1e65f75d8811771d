/* A process that competes for the lock of each directory it receives, and holds it until it receives the next one. */
import { acquireRunLock, LockHeldError } from '../../../src/import/journal/run-lock.ts';

const processes = {
  pid: process.pid,
  isRunning(pid) {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  },
};

let lock;
process.on('message', async (folder) => {
  await lock?.release();
  lock = undefined;
  try {
    lock = await acquireRunLock(folder, processes);
    process.send('won');
  } catch (error) {
    if (!(error instanceof LockHeldError)) process.send(String(error));
    else process.send(error.isVerified ? 'held' : 'held, not verified');
  }
});
process.send('ready');
