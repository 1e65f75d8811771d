import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { describeFsError, UsageError } from './errors.ts';

/** Maximum size of a key file, in bytes. */
export const MAX_KEY_BYTES = 64 * 1024;
/** Maximum size of a certificate file, in bytes: more than the certificates of all public authorities. */
export const MAX_PEM_BYTES = 8 * 1024 * 1024;
export const MAX_CONFIG_BYTES = 1024 * 1024;
/** Maximum size of a role file, in bytes. */
export const MAX_JSON_BYTES = 8 * 1024 * 1024;

/** Standard input, or a replacement in tests. */
export type InputStream = Readable & { readonly isTTY?: boolean };

export interface InputFileOptions {
  /** Option that names the file, for errors. */
  option: string;
  /** Maximum number of bytes. */
  maxBytes: number;
  /** Hint if standard input is a terminal. */
  terminalHint: string;
}

/**
 * Reads a file that an option names, or standard input for `-`.
 *
 * @throws UsageError if it cannot be read or is too long; no message contains its content
 */
export async function readInputFile(file: string, stdin: InputStream, options: InputFileOptions): Promise<Buffer> {
  const { option, maxBytes, terminalHint } = options;
  if (file === '-' && stdin.isTTY) {
    // An option such as --key-stdin always reads standard input.
    const typed = option.endsWith('-stdin') ? option : `${option} -`;
    throw new UsageError(`${typed}: standard input is a terminal`, terminalHint);
  }
  try {
    return await (file === '-' ? readStream(stdin, maxBytes) : readFileUpTo(file, maxBytes));
  } catch (error) {
    throw new UsageError(`${option}: cannot read ${inputName(file)}: ${describeFsError(error)}`);
  }
}

/** Names an input file for a message; `-` is standard input. */
export function inputName(file: string): string {
  return file === '-' ? 'standard input' : file;
}

/**
 * Reads a file that is expected to be small; a device such as /dev/zero never ends.
 *
 * @throws the error of the file system; EFBIG for a file of more than `maxBytes`
 */
export async function readFileUpTo(file: string, maxBytes: number): Promise<Buffer> {
  const handle = await open(file);
  try {
    return await readStream(handle.createReadStream({ autoClose: false }), maxBytes);
  } finally {
    await handle.close();
  }
}

async function readStream(input: AsyncIterable<unknown>, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of input) {
    const bytes = chunk instanceof Uint8Array ? chunk : Buffer.from(String(chunk));
    size += bytes.length;
    if (size > maxBytes) throw Object.assign(new Error(`longer than ${maxBytes} bytes`), { code: 'EFBIG' });
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}
