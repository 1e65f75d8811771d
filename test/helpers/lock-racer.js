/* A process that competes for the lock of each directory it receives, and holds it until it receives the next one. */
import { join } from 'node:path';
import { acquireLock, LockHeldError } from '../../src/import/journal/lock.ts';

let lock;
process.on('message', async (folder) => {
  await lock?.release();
  lock = undefined;
  try {
    lock = await acquireLock(join(folder, 'lock'), 'list.csv');
    process.send('won');
  } catch (error) {
    process.send(error instanceof LockHeldError ? 'held' : String(error));
  }
});
process.send('ready');
