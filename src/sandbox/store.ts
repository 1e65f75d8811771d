import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import * as z from 'zod/mini';
import { describeFsError, EXIT, OrgadmError, systemErrorCode } from '../util/errors.ts';
import { withFileLock } from '../util/file-lock.ts';
import { makePrivateDirectory, replaceFile, requireRegularFile } from '../util/files.ts';
import { MEMBERS, ROLES } from './fixtures.ts';

/** A custom role (interface 2.1, with its obligations). Times are ISO 8601. */
const storedRole = z.object({
  id: z.string(),
  name: z.string(),
  permissions: z.record(z.string(), z.array(z.string())),
  obligations: z.record(z.string(), z.boolean()),
  createdAt: z.string(),
  updatedAt: z.string(),
});
export type StoredRole = z.infer<typeof storedRole>;

/** A membership (interface 2.2). Its user is not stored, but derived from the id. */
const storedMember = z.object({
  id: z.string(),
  userId: z.string(),
  role: z.string(),
  department: z.string(),
  isActive: z.boolean(),
  labelId: z.optional(z.number()),
  createdAt: z.string(),
});
export type StoredMember = z.infer<typeof storedMember>;

const sandboxStateSchema = z.object({
  version: z.literal(1),
  roles: z.array(storedRole),
  members: z.array(storedMember),
});
type SandboxState = z.infer<typeof sandboxStateSchema>;

const INITIAL_STATE: SandboxState = { version: 1, roles: ROLES, members: MEMBERS };

/** The state of a sandbox in a file that several processes may share. */
export interface SandboxStore {
  /** Returns the state in the file, or the initial one after a reset. Synchronous: it takes a few milliseconds. */
  read(): SandboxState;
  /** Runs `section` while no other process changes the state. */
  exclusively<T>(section: () => T): Promise<T>;
  /** Replaces parts of the state in the file (0600). Call it only within `exclusively`. */
  change(parts: Partial<SandboxState>): void;
}

/**
 * Opens the state file, creating it and its directory (0700).
 *
 * @throws OrgadmError when the file cannot be read or written, as all methods do
 */
export async function openSandboxStore(file: string): Promise<SandboxStore> {
  let cached: { bytes: Buffer; state: SandboxState } | undefined;

  const read = (): SandboxState => {
    const bytes = guarded(file, 'cannot be read', () => readIfPresent(file));
    if (bytes === undefined) return INITIAL_STATE;
    // Compares the bytes, because times and inode numbers repeat when processes alternate within milliseconds.
    if (!cached?.bytes.equals(bytes)) cached = { bytes, state: parseState(file, bytes) };
    return cached.state;
  };
  const change = (parts: Partial<SandboxState>): void => {
    const state = { ...read(), ...parts };
    const bytes = Buffer.from(JSON.stringify(state));
    // Without fsync: the state is test data.
    guarded(file, 'cannot be written', () => replaceFile(file, bytes, { durable: false }));
    cached = { bytes, state };
  };

  await makePrivateDirectory(dirname(file)).catch((cause: unknown) => {
    throw stateError(file, 'cannot be written', cause);
  });
  requireRegularFile(file);
  if (!existsSync(file)) await exclusively(file, () => existsSync(file) || change({}));
  read();
  return { read, change, exclusively: (section) => exclusively(file, section) };
}

/**
 * Removes the state: the next use of the state file, by a running sandbox too, begins with the initial data. The key
 * stays.
 *
 * @throws OrgadmError when the file cannot be removed
 */
export async function resetSandbox(file: string): Promise<void> {
  if (!existsSync(dirname(file))) return;
  await exclusively(file, () => guarded(file, 'cannot be removed', () => rmSync(file, { force: true })));
}

function exclusively<T>(file: string, section: () => T): Promise<T> {
  return withFileLock(file, section, (cause) => stateError(file, 'cannot be locked', cause));
}

/** Returns the bytes of a file, undefined if there is none. */
function readIfPresent(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function parseState(file: string, bytes: Buffer): SandboxState {
  const parsed: unknown = guarded(file, 'cannot be read', () => JSON.parse(bytes.toString('utf8')));
  const { data } = sandboxStateSchema.safeParse(parsed);
  if (data === undefined) throw stateError(file, 'is not in a format that this version can read');
  return data;
}

/** Runs `step`, and throws its error as one about the state file. */
function guarded<T>(file: string, problem: string, step: () => T): T {
  try {
    return step();
  } catch (cause) {
    throw stateError(file, problem, cause);
  }
}

/** An error about the state file. Exit code 2. */
function stateError(file: string, problem: string, cause?: unknown): OrgadmError {
  const reason = cause === undefined ? '' : `: ${describeFsError(cause)}`;
  // Where orgadm cannot write, resetting the sandbox fails as well: it only helps against unusable content.
  const hint =
    systemErrorCode(cause) === undefined
      ? 'To start over, run: orgadm sandbox reset'
      : 'Set ORGADM_STATE_DIR to a directory that you can write to.';
  const message = `the sandbox's state file ${file} ${problem}${reason}`;
  return new OrgadmError('sandbox-state', EXIT.usage, message, { hint, cause });
}

const KEY = /^\s*(sandbox_[\w-]{32})\s*$/;

/**
 * Returns the API key of the sandbox with this state file: random, generated on first use and kept next to the state
 * (0600), so that no web page and no other user of the machine can guess it.
 *
 * @throws OrgadmError when it cannot be read or written
 */
export async function readOrCreateKey(stateFile: string): Promise<string> {
  const file = `${stateFile.replace(/\.json$/, '')}.key`;
  const readKey = () => KEY.exec(readIfPresent(file)?.toString() ?? '')?.[1];
  try {
    return readKey() ?? (await withFileLock(file, () => readKey() ?? createKey(file)));
  } catch (cause) {
    if (cause instanceof OrgadmError) throw cause;
    throw stateError(stateFile, 'has a key that cannot be read or written', cause);
  }
}

function createKey(file: string): string {
  const key = `sandbox_${randomBytes(24).toString('base64url')}`;
  replaceFile(file, `${key}\n`, { durable: false });
  return key;
}
