const DESCRIPTIONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EBUSY: 'resource busy',
  EDQUOT: 'disk quota exceeded',
  EEXIST: 'it already exists',
  EFBIG: 'the file is too large',
  EIO: 'input/output error',
  EISDIR: 'it is a directory',
  ELOOP: 'too many levels of symbolic links',
  EMFILE: 'too many files are open',
  ENAMETOOLONG: 'the name is too long',
  ENOENT: 'no such file or directory',
  ENOSPC: 'no space left on the disk',
  ENOTDIR: 'a part of its path is not a directory',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
};

/** Describes why a file or directory could not be accessed, with the system's error code. */
export function describeFsError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = (error as NodeJS.ErrnoException).code;
  const description = code === undefined ? undefined : DESCRIPTIONS[code];
  return description === undefined ? error.message : `${description} (${code})`;
}
