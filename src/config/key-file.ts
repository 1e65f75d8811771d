import { UsageError } from '../util/errors.ts';
import { describeFsError } from '../util/fs-error.ts';
import type { Host } from '../util/host.ts';
import { MAX_KEY_BYTES, readSmall, readSmallFile } from '../util/small-file.ts';

/**
 * Reads a key from a file, or from standard input for `-`.
 *
 * @param flag how the file was named, for errors
 * @returns the key without the line end of its file
 * @throws UsageError for a file that cannot be read or holds no key; the key itself is in no message
 */
export async function readKeyFile(file: string, flag: string, host: Host): Promise<string> {
  const key = (await readKeyText(file, flag, host)).trim();
  const name = file === '-' ? 'standard input' : file;
  if (key === '') throw new UsageError(`${flag}: ${name} is empty`);
  if (/\s/.test(key)) {
    throw new UsageError(
      `${flag}: ${name} holds more than one word`,
      `${file === '-' ? 'It' : 'The file'} must hold the key and nothing else.`,
    );
  }
  return key;
}

async function readKeyText(file: string, flag: string, host: Host): Promise<string> {
  if (file === '-' && host.stdin.isTTY) {
    throw new UsageError(
      `${flag === '--key-file' ? '--key-file -' : flag}: standard input is a terminal`,
      'Pipe the key in, so that it is not shown while typed.',
    );
  }
  const name = file === '-' ? 'standard input' : file;
  try {
    return await (file === '-' ? readSmall(host.stdin, MAX_KEY_BYTES) : readSmallFile(file, MAX_KEY_BYTES));
  } catch (error) {
    throw new UsageError(`${flag}: cannot read ${name}: ${describeFsError(error)}`);
  }
}
