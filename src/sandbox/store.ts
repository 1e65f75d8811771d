import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import * as z from 'zod/mini';
import { describeFsError, EXIT, OrgadmError, systemErrorCode } from '../util/errors.ts';
import { makePrivateDirectory, replaceFile, requireRegularFile } from '../util/files.ts';
import { MEMBERS, ROLES } from './data.ts';

/** A custom role (interface 2.1, with its obligations). Times are ISO 8601. */
const storedRole = z.object({
  id: z.string(),
  name: z.string(),
  permissions: z.record(z.string(), z.array(z.string())),
  obligations: z.record(z.string(), z.boolean()),
  createdAt: z.string(),
  updatedAt: z.string(),
});

/** A membership (interface 2.2). Its user is not stored, but derived from the ID. */
const storedMember = z.object({
  id: z.string(),
  userId: z.string(),
  role: z.string(),
  department: z.string(),
  isActive: z.boolean(),
  deviceMgmtLabelId: z.optional(z.number()),
  createdAt: z.string(),
});
export type StoredMember = z.output<typeof storedMember>;

const stateSchema = z.object({
  /** Random, so that no web page and no other user of the machine can guess it. */
  apiKey: z.string().check(z.minLength(32)),
  roles: z.array(storedRole),
  members: z.array(storedMember),
});
type State = z.output<typeof stateSchema>;

/** The state of a sandbox, in a file (0600) that several processes may share: the last one that writes wins. */
export interface SandboxStore {
  read(): State;
  /** Replaces parts of the state. */
  write(parts: Partial<State>): void;
}

/**
 * Opens the state file, creating it and its directory (0700).
 *
 * @throws OrgadmError when the file cannot be read or written, as all methods do
 */
export async function openStore(file: string): Promise<SandboxStore> {
  await makePrivateDirectory(dirname(file)).catch((cause: unknown) => {
    throw stateError(file, 'cannot be written', cause);
  });
  requireRegularFile(file);
  if (!existsSync(file)) writeState(file, newState());
  const read = () => readState(file);
  read();
  return { read, write: (parts) => writeState(file, { ...read(), ...parts }) };
}

/** Restores the initial people and roles. The key stays. Throws OrgadmError when the file cannot be written. */
export function resetSandbox(file: string): void {
  if (!existsSync(file)) return;
  requireRegularFile(file);
  let apiKey: string | undefined;
  try {
    ({ apiKey } = readState(file));
  } catch {
    // A file that cannot be read is what some people reset the sandbox for.
  }
  writeState(file, newState(apiKey));
}

function newState(apiKey = `sandbox_${randomBytes(24).toString('base64url')}`): State {
  return { apiKey, roles: ROLES, members: MEMBERS };
}

function readState(file: string): State {
  let document: unknown;
  try {
    // A running sandbox starts over if its file is removed.
    document = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : newState();
  } catch (cause) {
    throw stateError(file, 'cannot be read', cause);
  }
  const { data } = stateSchema.safeParse(document);
  if (data === undefined) throw stateError(file, 'is not in a format that this version can read');
  return data;
}

function writeState(file: string, state: State): void {
  try {
    // Without fsync: the state is test data.
    replaceFile(file, JSON.stringify(state), { durable: false });
  } catch (cause) {
    throw stateError(file, 'cannot be written', cause);
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
