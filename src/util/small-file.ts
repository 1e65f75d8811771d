import { open } from 'node:fs/promises';

/** More than any key, by far. */
export const MAX_KEY_BYTES = 64 * 1024;
/** More than the certificates of all public authorities. */
export const MAX_PEM_BYTES = 8 * 1024 * 1024;
export const MAX_CONFIG_BYTES = 1024 * 1024;
/** More than any role. */
export const MAX_JSON_BYTES = 8 * 1024 * 1024;

/**
 * Reads a file that is expected to be small; a device such as /dev/zero never ends.
 *
 * @throws the error of the file system; EFBIG for a file of more than `maxBytes`
 */
export async function readSmallFile(file: string, maxBytes: number): Promise<string> {
  const handle = await open(file);
  try {
    return await readSmall(handle.createReadStream({ autoClose: false }), maxBytes);
  } finally {
    await handle.close();
  }
}

/** Reads a stream to its end as UTF-8. Throws EFBIG where it is longer than `maxBytes`. */
export async function readSmall(input: AsyncIterable<unknown>, maxBytes: number): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of input) {
    const bytes = piece instanceof Uint8Array ? piece : Buffer.from(String(piece));
    size += bytes.length;
    if (size > maxBytes) throw Object.assign(new Error(`longer than ${maxBytes} bytes`), { code: 'EFBIG' });
    pieces.push(bytes);
  }
  return Buffer.concat(pieces).toString('utf8');
}
