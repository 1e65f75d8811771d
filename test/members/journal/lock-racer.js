/* A process that runs for the lock of each folder it is told, and holds it until it is told the next one. */
import { takeLock } from '../../../src/members/journal/lock.ts';

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
    lock = await takeLock(folder, processes);
    process.send('won');
  } catch (error) {
    process.send(error.code === 'in-use' ? 'refused' : String(error));
  }
});
process.send('ready');
