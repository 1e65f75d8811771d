import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import path from 'node:path';
import { addAbortSignal, Readable } from 'node:stream';
import { describeFsError, EXIT, OrgadmError } from '../../util/errors.ts';
import { makePrivateDirectory } from '../../util/write-file.ts';

/** A private copy of what can be read only once. */
export interface Spool {
  handle: FileHandle;
  /** Closes the copy and makes sure that its file is gone. */
  close(): Promise<void>;
}

/**
 * Copies `input` into a new file (0600) in `folder` (created with 0700 if it is missing). The name is removed from the
 * folder at once if the platform allows it for an open file, so that nothing is left behind whatever ends the process.
 *
 * @throws OrgadmError if the copy cannot be written
 * @throws the signal's reason when aborted
 */
export async function spool(input: AsyncIterable<unknown>, folder: string, signal?: AbortSignal): Promise<Spool> {
  const file = path.join(folder, `list-${randomBytes(8).toString('hex')}`);
  const handle = await create(file, folder);
  const isRemoved = await rm(file).then(
    () => true,
    () => false,
  );
  const close = async () => {
    await handle.close();
    if (!isRemoved) await rm(file, { force: true });
  };
  try {
    await copy(input, handle, folder, signal);
  } catch (error) {
    await close();
    signal?.throwIfAborted();
    throw error;
  }
  return { handle, close };
}

async function create(file: string, folder: string): Promise<FileHandle> {
  try {
    await makePrivateDirectory(folder);
    return await open(file, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, 0o600);
  } catch (error) {
    throw cannotSpool(folder, error);
  }
}

async function copy(
  input: AsyncIterable<unknown>,
  handle: FileHandle,
  folder: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  signal?.throwIfAborted();
  if (signal !== undefined && input instanceof Readable) addAbortSignal(signal, input);
  for await (const piece of input) {
    const bytes = piece instanceof Uint8Array ? piece : Buffer.from(String(piece));
    await handle.writeFile(bytes).catch((error: unknown) => {
      throw cannotSpool(folder, error);
    });
  }
}

function cannotSpool(folder: string, cause: unknown): OrgadmError {
  return new OrgadmError(
    'spool-failed',
    EXIT.failure,
    `cannot keep a copy of the list in ${folder}: ${describeFsError(cause)}`,
    {
      hint: 'A list that is not a plain text file is copied first, because it is read twice. Free some space there, or pass a text file.',
      cause,
    },
  );
}
