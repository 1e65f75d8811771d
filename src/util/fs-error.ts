const DESCRIPTIONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EBUSY: 'it is in use',
  EDQUOT: 'your share of the disk is used up',
  EEXIST: 'something else is there already',
  EFBIG: 'the file is too large',
  EIO: 'the disk failed',
  EISDIR: 'it is a directory',
  ELOOP: 'its links go in a circle',
  EMFILE: 'too many files are open',
  ENAMETOOLONG: 'the name is too long',
  ENOENT: 'no such file or directory',
  ENOSPC: 'no space left on the disk',
  ENOTDIR: 'a part of its path is not a directory',
  EPERM: 'permission denied',
  EROFS: 'the disk can only be read',
};

/** Describes why a file or directory could not be accessed, with the system's error code. */
export function describeFsError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = (error as NodeJS.ErrnoException).code;
  const description = code === undefined ? undefined : DESCRIPTIONS[code];
  return description === undefined ? error.message : `${description} (${code})`;
}
