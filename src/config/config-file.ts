import { constants, type Stats } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { EXIT, OrgadmError, UsageError } from '../util/errors.ts';
import { withFileLock } from '../util/file-lock.ts';
import { describeFsError } from '../util/fs-error.ts';
import { isJsonObject } from '../util/json-object.ts';
import { MAX_CONFIG_BYTES, readFileUpTo } from '../util/read-file.ts';
import { quoteForShell } from '../util/shell-quote.ts';
import { makePrivateDirectory, replaceFile } from '../util/write-file.ts';

const OTHERS_ACCESS = 0o077;
const OTHERS_WRITE = 0o022;

/**
 * Reads a file that holds secrets.
 *
 * @param uid the user's number; where it is undefined, the system knows no owners and modes
 * @returns the text, or undefined where there is no such file
 * @throws UsageError, with the command that mends it, for a symbolic link, another owner, or a mode that lets others in
 */
export async function readPrivateFile(file: string, uid: number | undefined): Promise<string | undefined> {
  const handle = await open(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0)).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw codeOf(error) === 'ELOOP'
      ? new UsageError(
          `${file} is a symbolic link, which may lead anywhere`,
          `Put the file itself there: cp --remove-destination "$(readlink -f ${quoteForShell(file)})" ${quoteForShell(file)}`,
        )
      : configFileError(file, 'read', error);
  });
  if (handle === undefined) return undefined;
  try {
    // What was opened is what is looked at: nobody can put another file in its place meanwhile.
    if (uid !== undefined) rejectOthers(file, await handle.stat(), uid);
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}

/**
 * Reads a file that other users must not be able to change; they may read it, and it may be a link.
 *
 * @returns the text, or undefined where there is no such file
 * @throws UsageError, with the command that fixes it, where other users can write to the file or to its directory
 */
export async function readOwnFile(file: string, uid: number | undefined): Promise<string | undefined> {
  try {
    const found = await stat(file);
    if (uid !== undefined) rejectSharedFile(file, found, uid);
    await rejectSharedDirectory(dirname(file), uid);
    return (await readFileUpTo(file, MAX_CONFIG_BYTES)).toString('utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error instanceof OrgadmError ? error : configFileError(file, 'read', error);
  }
}

/**
 * Creates the directory of a file that holds secrets (0700) where it is missing.
 *
 * @throws UsageError, with the command that fixes it, where other users can write to the directory
 */
export async function ensurePrivateDirectory(folder: string, uid: number | undefined): Promise<void> {
  try {
    await makePrivateDirectory(folder);
  } catch (error) {
    throw configFileError(folder, 'create', error);
  }
  await rejectSharedDirectory(folder, uid);
}

/**
 * Rejects a directory in which other users could replace a file; one that does not exist is fine.
 *
 * @param uid the user's number; where it is undefined, the system has no modes
 * @throws UsageError with the command that fixes it
 */
export async function rejectSharedDirectory(folder: string, uid: number | undefined): Promise<void> {
  if (uid === undefined) return;
  const found = await stat(folder).catch(() => undefined);
  if (found === undefined) return;
  if (isForeign(found, uid)) {
    throw new UsageError(
      `the directory ${folder} belongs to another user`,
      `Make it yours if you trust its contents: sudo chown "$(id -u)" ${quoteForShell(folder)}`,
    );
  }
  if ((found.mode & OTHERS_WRITE) !== 0) {
    throw new UsageError(
      `other users can write to the directory ${folder}`,
      `Remove their access: chmod go-w ${quoteForShell(folder)}. Check the files in it before you use them.`,
    );
  }
}

/**
 * Runs a read-modify-write of a file while no other process runs one (see `withFileLock`).
 *
 * @throws OrgadmError (exit 2) where the lock cannot be created, in addition to what `section` throws
 */
export async function changeFile<T>(file: string, section: () => Promise<T>): Promise<T> {
  let entered = false;
  try {
    return await withFileLock(file, () => {
      entered = true;
      return section();
    });
  } catch (error) {
    throw entered || error instanceof OrgadmError ? error : configFileError(file, 'lock', error);
  }
}

/**
 * Replaces a file, or makes it, with mode 0600: a reader finds the old text or the new one, also after a power cut.
 *
 * @throws OrgadmError (exit 2) where it cannot be written; what was there is then still there
 */
export function replacePrivateFile(file: string, text: string): void {
  try {
    replaceFile(file, text, { durable: true });
  } catch (error) {
    throw configFileError(file, 'write', error);
  }
}

/** An error of the file system in words that name the file; its code is the reason. */
export function configFileError(file: string, verb: string, error: unknown): OrgadmError {
  return new OrgadmError('file', EXIT.usage, `cannot ${verb} ${file}: ${describeFsError(error)}`, {
    cause: error,
  });
}

function rejectOthers(file: string, found: Stats, uid: number): void {
  if (!found.isFile()) throw new UsageError(`${file} is no regular file`);
  if (found.uid !== uid) {
    throw new UsageError(
      `${file} belongs to another user`,
      `Make it yours, if you trust what it holds: sudo chown "$(id -u)" ${quoteForShell(file)}`,
    );
  }
  if ((found.mode & OTHERS_ACCESS) !== 0) {
    const mode = (found.mode & 0o777).toString(8).padStart(3, '0');
    throw new UsageError(
      `others may read or change ${file} (mode ${mode})`,
      `Close it to them: chmod 600 ${quoteForShell(file)}. If they may have read the key, replace it.`,
    );
  }
}

function rejectSharedFile(file: string, found: Stats, uid: number): void {
  if (isForeign(found, uid)) {
    throw new UsageError(
      `${file} belongs to another user`,
      `Make it yours if you trust its contents: sudo chown "$(id -u)" ${quoteForShell(file)}`,
    );
  }
  if ((found.mode & OTHERS_WRITE) !== 0) {
    throw new UsageError(
      `other users can write to ${file}`,
      `Remove their access: chmod go-w ${quoteForShell(file)}. Check its contents before you use it.`,
    );
  }
}

/** Root's own files are trusted by everybody; root in a container often meets files of the user outside. */
function isForeign(found: Stats, uid: number): boolean {
  return uid !== 0 && found.uid !== uid && found.uid !== 0;
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

/**
 * Reads `{"profiles": {"<name>": ...}}`, the form of the files in the configuration folder, strictly.
 *
 * @throws UsageError that names the file and, where the text is not JSON, the line; nothing of the text is repeated but keys
 */
export function parseConfigDocument(text: string, file: string): [name: string, entry: unknown][] {
  const json = text.replace(/^\uFEFF/, '');
  const syntaxError = findJsonSyntaxError(json);
  if (syntaxError !== undefined) {
    throw new UsageError(
      `${file}, line ${syntaxError.line}: ${syntaxError.message}`,
      'Fix it with an editor; it is left as it is.',
    );
  }
  const document: unknown = JSON.parse(json);
  const extra = isJsonObject(document) ? Object.keys(document).find((key) => key !== 'profiles') : undefined;
  if (!isJsonObject(document) || !isJsonObject(document.profiles) || extra !== undefined) {
    throw new UsageError(
      extra === undefined ? `${file} holds no profiles` : `${file}: unknown key "${extra}"`,
      'It must be of the form {"profiles": {"default": {...}}}.',
    );
  }
  return Object.entries(document.profiles);
}

/** The text of such a file, to be read and edited by people. */
export function renderConfigDocument(entries: ReadonlyMap<string, unknown>): string {
  return `${JSON.stringify({ profiles: Object.fromEntries(entries) }, null, 2)}\n`;
}

/** What is wrong with a text that should be JSON. It repeats nothing of the text but keys: values may be secrets. */
export interface JsonSyntaxError {
  /** The physical line, 1-based. */
  line: number;
  message: string;
}

const TOKEN =
  /([{}[\],:])|("(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)/y;
const BLANK = /[ \t\r\n]*/y;

type Expected = 'value' | 'value or ]' | 'key' | 'key or }' | 'colon' | 'comma';

/** A list or an object that is not closed yet; an object knows its keys. */
type Open = { end: ']' } | { end: '}'; keys: Set<string> };

/**
 * Finds the first place where a text is not JSON, or where an object has a key for the second time, of which the last
 * one would win silently.
 *
 * @returns undefined for JSON that is in order
 */
export function findJsonSyntaxError(text: string): JsonSyntaxError | undefined {
  const open: Open[] = [];
  let expected: Expected = 'value';
  let at = 0;
  const skipBlanks = () => {
    BLANK.lastIndex = at;
    at += BLANK.exec(text)?.[0].length ?? 0;
  };
  const errorAt = (message: string): JsonSyntaxError => ({ line: text.slice(0, at).split('\n').length, message });

  for (skipBlanks(); at < text.length; skipBlanks()) {
    const inside = open.at(-1);
    if (expected === 'comma' && inside === undefined) return errorAt('something follows the end');
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(text)?.[0] ?? '';
    const next = nextExpected(token, expected, inside);
    if (next === undefined) return errorAt(`expected ${describe(expected, inside)}`);
    if (next === 'repeated') return errorAt(`the key ${token} stands twice`);
    if (token === '{') open.push({ end: '}', keys: new Set() });
    else if (token === '[') open.push({ end: ']' });
    else if (token === '}' || token === ']') open.pop();
    expected = next;
    at += token.length;
  }
  return expected === 'comma' && open.length === 0 ? undefined : errorAt('the text ends too early');
}

/** What is expected after a token, or undefined where the token is not what was expected. */
function nextExpected(token: string, expected: Expected, inside: Open | undefined): Expected | 'repeated' | undefined {
  const closes = token === inside?.end;
  switch (expected) {
    case 'comma':
      if (closes) return 'comma';
      if (token !== ',') return undefined;
      return inside?.end === '}' ? 'key' : 'value';
    case 'colon':
      return token === ':' ? 'value' : undefined;
    case 'key':
    case 'key or }':
      if (closes && expected === 'key or }') return 'comma';
      return token.startsWith('"') && inside?.end === '}' ? afterKey(token, inside.keys) : undefined;
    default:
      if (closes && expected === 'value or ]') return 'comma';
      if (token === '{') return 'key or }';
      if (token === '[') return 'value or ]';
      return /^["\w-]/.test(token) ? 'comma' : undefined;
  }
}

function afterKey(token: string, keys: Set<string>): Expected | 'repeated' {
  const key = String(JSON.parse(token));
  if (keys.has(key)) return 'repeated';
  keys.add(key);
  return 'colon';
}

function describe(expected: Expected, inside: Open | undefined): string {
  if (expected === 'comma') return `a comma or ${inside?.end}`;
  return { value: 'a value', 'value or ]': 'a value or ]', key: 'a key', 'key or }': 'a key or }', colon: 'a colon' }[
    expected
  ];
}
