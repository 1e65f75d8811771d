import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { EXIT, OrgadmError, UsageError } from './errors.ts';
import type { Host } from './host.ts';

/** No key where one is needed. Exit code 4. */
export function missingKey(): OrgadmError {
  return new OrgadmError('no-key', EXIT.auth, 'no API key', {
    hint: 'Set ORGADM_API_KEY, or name a file that holds the key with --key-file. To try the tool without an account, add --sandbox.',
  });
}

/**
 * Finds the key for the header `X-API-Key` (interface 5): `--key-file` (`-` is standard input), else `ORGADM_API_KEY`.
 *
 * @returns the key without the line end of its file, or undefined where neither is given
 * @throws UsageError for a file that cannot be read or holds no key; the key itself is in no message
 */
export async function findKey(keyFile: string | undefined, host: Host): Promise<string | undefined> {
  if (keyFile === undefined) return host.env.ORGADM_API_KEY?.trim() || undefined;
  const key = (await readKeyFile(keyFile, host)).trim();
  if (key === '') throw new UsageError(`--key-file: ${keyFileName(keyFile)} is empty`);
  if (/\s/.test(key)) {
    throw new UsageError(
      `--key-file: ${keyFileName(keyFile)} holds more than one word`,
      'The file must hold the key and nothing else.',
    );
  }
  return key;
}

async function readKeyFile(keyFile: string, host: Host): Promise<string> {
  if (keyFile === '-') {
    if (host.stdin.isTTY) {
      throw new UsageError(
        '--key-file -: standard input is a terminal',
        'Pipe the key in, so that it is not shown while typed.',
      );
    }
    return text(host.stdin);
  }
  try {
    return await readFile(keyFile, 'utf8');
  } catch (error) {
    throw new UsageError(`--key-file: cannot read ${keyFile}: ${(error as NodeJS.ErrnoException).code}`);
  }
}

function keyFileName(keyFile: string): string {
  return keyFile === '-' ? 'standard input' : keyFile;
}
