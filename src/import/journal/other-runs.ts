import { createHash } from 'node:crypto';
import { open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { OrgadmError, UsageError } from '../../util/errors.ts';
import { formatCount } from '../../util/units.ts';
import type { ListRow } from '../list/open-list.ts';
import { JournalFile } from './journal-file.ts';
import { encodeRanges, JournalDamagedError, type JournalRecord, type RunRecord } from './journal-records.ts';
import { type AmbiguousRow, inspectJournal } from './replay.ts';
import { HASH_BYTES, readSecret, type Secret } from './secret.ts';

const TAIL_BYTES = 4096;
const SHOWN_USERS = 3;
const ROOT_NAME = /^journals\.[0-9a-f]{16}$/;

/** The list that is about to be sent. */
export interface ListToSend {
  /** Name of its run's directory. */
  name: string;
  service: string;
  /** Its path, where a run of the same file counts whatever its service: the user expects to continue one. */
  path: string | undefined;
  rows: () => AsyncIterable<readonly ListRow[]>;
  /** Whether the row is to be sent, or sent again to confirm it. */
  isUnfinished(entry: number): boolean;
}

/** A run of another list whose rows of unknown outcome are also in this list. */
export interface OverlappingRun {
  directory: string;
  /** Its journal directory, if that is not the one of this run. */
  otherRoot: string | undefined;
  /** Its first record; undefined if that cannot be read. */
  head: RunRecord | undefined;
  /** Its rows of unknown outcome, by the hash of their user id. */
  byId: ReadonlyMap<bigint, number>;
  /** The secret that the hashes were made with. */
  secret: Secret;
  /** Why its rows cannot be compared with those of this list. All rows of this list may then be among them. */
  incomparable: string | undefined;
  /** The rows of this list, with the user ids' hashes. */
  own: AmbiguousRow[];
  /** The same rows, as that run numbers them. */
  theirs: number[];
  /** Users of the first rows, for messages. */
  userIds: string[];
}

/**
 * Finds the runs of other lists into the same service whose rows of unknown outcome are in this list: sent at once, such
 * people may be added twice. Reads the list only if there are such runs.
 *
 * @param otherRoots further journal directories; a run of this list there is another run
 */
export async function findOverlappingRuns(
  root: string,
  otherRoots: readonly string[],
  list: ListToSend,
  secret: Secret,
): Promise<OverlappingRun[]> {
  const found: OverlappingRun[] = [];
  const addRuns = async (folder: string, folderSecret: Secret) => {
    const otherRoot = folder === root ? undefined : folder;
    for (const name of await runsIn(folder)) {
      if (otherRoot === undefined && name === list.name) continue;
      const run = await readUnknown(join(folder, name), otherRoot, list, folderSecret);
      if (run !== undefined) found.push(run);
    }
  };
  await addRuns(root, secret);
  for (const otherRoot of otherRoots) {
    try {
      await addRuns(otherRoot, await readSecret(otherRoot));
    } catch (error) {
      // A directory that cannot be read any more must not block this run permanently.
      if (error instanceof OrgadmError || !(error instanceof Error) || !('code' in error)) throw error;
    }
  }
  if (found.length === 0) return [];
  for await (const rows of list.rows()) compare(rows, list, secret, found);
  return found.filter(({ own }) => own.length > 0);
}

/** Returns the names of the runs' directories in their order; none if there is no journal directory. */
export async function runsIn(root: string): Promise<string[]> {
  const names = await readdir(root).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return names.filter((name) => /^[0-9a-f]{32}$/.test(name)).sort();
}

/** Returns undefined for a run without rows of unknown outcome, and for one that has nothing to do with the list. */
async function readUnknown(
  directory: string,
  otherRoot: string | undefined,
  list: ListToSend,
  secret: Secret,
): Promise<OverlappingRun | undefined> {
  let head: RunRecord | undefined;
  let incomparable: string | undefined;
  const byId = new Map<bigint, number>();
  try {
    const path = join(directory, 'journal');
    if ((await closedWithoutUnknown(path)) !== undefined) return undefined;
    const inspected = await inspectJournal(path);
    if (inspected.ambiguous.length === 0) return undefined;
    head = inspected.head;
    for (const { entry, id } of inspected.ambiguous) byId.set(id, entry);
    if (head.secretId !== secret.id || byId.has(0n)) incomparable = 'its journal does not contain their user ids';
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    if (!(error instanceof JournalDamagedError)) throw error;
    head = error.head;
    incomparable = error.message;
  }
  if (head !== undefined && !isRelated(head, list)) return undefined;
  return { directory, otherRoot, head, byId, secret, incomparable, own: [], theirs: [], userIds: [] };
}

function isRelated(head: RunRecord, list: ListToSend): boolean {
  if (normalizeService(head.baseUrl) === normalizeService(list.service)) return true;
  return list.path !== undefined && head.path === list.path;
}

function compare(rows: readonly ListRow[], list: ListToSend, secret: Secret, found: readonly OverlappingRun[]): void {
  const users = rows.flatMap(({ entry, value }) =>
    value !== undefined && list.isUnfinished(entry) ? [{ entry, userId: value.userId }] : [],
  );
  const userIds = users.map(({ userId }) => userId);
  const ownHashes = secret.hashUserIds(userIds);
  const hashesById = new Map([[secret.id, ownHashes]]);
  for (const { byId, secret: otherSecret, incomparable, own, theirs, userIds: shown } of found) {
    const hashes = hashesById.get(otherSecret.id) ?? otherSecret.hashUserIds(userIds);
    hashesById.set(otherSecret.id, hashes);
    for (const [at, { entry, userId }] of users.entries()) {
      const same = byId.get(hashes.readBigUInt64LE(at * HASH_BYTES));
      if (same === undefined && incomparable === undefined) continue;
      own.push({ entry, id: ownHashes.readBigUInt64LE(at * HASH_BYTES) });
      if (same !== undefined) theirs.push(same);
      if (shown.length < SHOWN_USERS) shown.push(userId);
    }
  }
}

/**
 * Returns when a journal was closed without rows of unknown outcome, in milliseconds since the epoch, 0 if it does not say;
 * undefined otherwise. Reads its end only: most runs are finished, and their journals may be large.
 */
export async function closedWithoutUnknown(path: string): Promise<number | undefined> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const tail = Buffer.alloc(Math.min(size, TAIL_BYTES));
    await file.read(tail, 0, tail.length, size - tail.length);
    const last = tail.toString('latin1').split('\n').at(-2) ?? '';
    const closed = /^[0-9a-f]{8} \{"t":"closed","unknown":0(?:,"atMs":(\d+))?[,}]/.exec(last);
    return closed === null ? undefined : Number(closed[1] ?? 0);
  } finally {
    await file.close();
  }
}

/** Returns the error for a list that is not sent because of such a run. */
export function overlapError(run: OverlappingRun): UsageError {
  const { directory, otherRoot, head, own, userIds, incomparable } = run;
  const journal = otherRoot === undefined ? '' : ` and --journal ${otherRoot}`;
  const users = userIds.join(', ') + (own.length > userIds.length ? ', …' : '');
  const name =
    head === undefined ? `the run in ${directory}` : `an unfinished run of ${head.list}, started ${head.startedAt},`;
  if (incomparable !== undefined) {
    return new UsageError(
      `${name} may have sent people of this list without learning the outcome: ${incomparable}`,
      'Add --restart: the rows of this list then wait for the quiet period before they are sent. ' +
        `If you know that the other run has ended without an effect on them, remove ${directory} instead.`,
      'unfinished-run',
    );
  }
  return new UsageError(
    own.length === 1
      ? `${name} has 1 row of unknown outcome that is also in this list: ${users}`
      : `${name} has ${formatCount(own.length)} rows of unknown outcome that are also in this list: ${users}`,
    `Continue that run first: its own list and options with --resume${journal}. Or add --restart: these rows then wait ` +
      'for the quiet period before they are sent again.',
    'unfinished-run',
  );
}

/**
 * Records in the other run's journal that its rows were moved to this run, so that no third list waits for them. The
 * caller holds that run's lock, and has these rows in its own journal.
 */
export async function markMoved({ directory, theirs, incomparable }: OverlappingRun, to: string): Promise<void> {
  if (incomparable !== undefined || theirs.length === 0) return;
  const path = join(directory, 'journal');
  const journal = await JournalFile.open(path, () => {});
  try {
    const rows = encodeRanges(theirs.toSorted((a, b) => a - b));
    journal.append({ t: 'moved', rows, to } satisfies JournalRecord);
    const { ambiguous } = await inspectJournal(path);
    journal.append({ t: 'closed', unknown: ambiguous.length } satisfies JournalRecord);
    await journal.commit();
  } finally {
    await journal.close();
  }
}

/**
 * Records in the lock directory of a service that a journal directory is used for it. One file for each journal directory:
 * processes that run at the same time do not overwrite each other's.
 */
export async function recordRoot(directory: string, root: string): Promise<void> {
  const path = resolve(root);
  const name = `journals.${createHash('sha256').update(path).digest('hex').slice(0, 16)}`;
  await writeFile(join(directory, name), JSON.stringify(path), { mode: 0o600, flush: true });
}

/** Returns the recorded journal directories that exist, except `root`, by whatever path it was used. */
export async function otherRootsIn(directory: string, root: string): Promise<string[]> {
  const seen = new Set([await fileId(root)]);
  const roots: string[] = [];
  for (const name of (await readdir(directory)).filter((entry) => ROOT_NAME.test(entry))) {
    const record = join(directory, name);
    // A crash may have left the record empty or incomplete.
    const path = await readFile(record, 'utf8')
      .then((text): unknown => JSON.parse(text))
      .catch(() => undefined);
    const id = typeof path === 'string' ? await fileId(path) : undefined;
    if (typeof path !== 'string' || id === undefined) {
      await rm(record, { force: true });
      continue;
    }
    if (!seen.has(id)) roots.push(path);
    seen.add(id);
  }
  return roots;
}

/** Identifies a directory whatever the path that leads to it. Returns undefined if there is none. */
function fileId(path: string): Promise<string | undefined> {
  return stat(path, { bigint: true }).then(
    ({ dev, ino }) => `${dev}:${ino}`,
    () => undefined,
  );
}

/** What makes two runs the same. The key is not part of it: keys are rotated. */
export interface RunIdentity {
  /** Digest of the list's bytes. */
  digest: string;
  /** The settings that change the entries sent, in a fixed order. */
  settings: unknown;
  /** Base URL with its path; for the sandbox its state file. */
  service: string;
}

/** Returns the name of a run's directory: 32 hex digits. */
export function folderName({ digest, settings, service }: RunIdentity): string {
  const parts = [digest, JSON.stringify(settings), normalizeService(service)];
  return createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 32);
}

/**
 * Returns one spelling for the base URLs that lead to the same service: case of the host, default port, the dot after a
 * host, trailing slashes, and the names of this machine. Other texts are returned as they are.
 */
export function normalizeService(service: string): string {
  if (!/^https?:/i.test(service) || !URL.canParse(service)) return service;
  const url = new URL(service);
  url.hostname = url.hostname.replace(/\.$/, '');
  if (url.hostname === '127.0.0.1' || url.hostname === '[::1]') url.hostname = 'localhost';
  return url.href.replace(/\/+$/, '');
}
