/* A process that uses the lock of a file: `count <file> <n>` adds n to the number in it, one by one; `hold <file>` leaves
 * a draft behind and never ends its section. */
import { randomUUID } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { withFileLock } from '../../src/util/file-lock.ts';

const [action, file, times] = process.argv.slice(2);

function draft(text) {
  const path = `${file}.${randomUUID()}.tmp`;
  writeFileSync(path, text);
  return path;
}

if (action === 'count') {
  for (let i = 0; i < Number(times); i++) {
    await withFileLock(file, async () => {
      const number = Number(readFileSync(file, 'utf8'));
      await new Promise(setImmediate);
      renameSync(draft(String(number + 1)), file);
    });
  }
} else {
  await withFileLock(file, () => {
    draft('half');
    process.stdout.write('held\n');
    return new Promise((resolve) => setInterval(resolve, 2 ** 30));
  });
}
