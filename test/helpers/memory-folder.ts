import { readFileSync, statfsSync } from 'node:fs';

const FOLDER = '/dev/shm';
/** The tests of large lists write some hundred megabytes at the same time. */
const NEEDED_BYTES = 4 * 1024 ** 3;

/**
 * Returns a folder in memory for the files of the tests, which sync and remove thousands of them: on a disk, that takes a
 * fifth of their time. Undefined where there is none with enough space and from which programs can be run.
 */
export function memoryFolder(): string | undefined {
  try {
    const mounted = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .find((line) => line.split(' ')[1] === FOLDER);
    const [, , , options = 'noexec'] = mounted?.split(' ') ?? [];
    const { bavail, bsize } = statfsSync(FOLDER);
    return options.split(',').includes('noexec') || bavail * bsize < NEEDED_BYTES ? undefined : FOLDER;
  } catch {
    return undefined;
  }
}
