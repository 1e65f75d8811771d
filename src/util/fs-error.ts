const DESCRIPTIONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EBUSY: 'it is in use',
  EDQUOT: 'your share of the disk is used up',
  EEXIST: 'something else is there already',
  EFBIG: 'the file is too large',
  EIO: 'the disk failed',
  EISDIR: 'it is a folder',
  ELOOP: 'its links go in a circle',
  EMFILE: 'too many files are open',
  ENAMETOOLONG: 'the name is too long',
  ENOENT: 'no such file or folder',
  ENOSPC: 'no space left on the disk',
  ENOTDIR: 'a part of its path is no folder',
  EPERM: 'permission denied',
  EROFS: 'the disk can only be read',
};

/** Why the system refused a file or a folder: in words, with its code for whoever searches for that. */
export function describeFsError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = (error as NodeJS.ErrnoException).code;
  const description = code === undefined ? undefined : DESCRIPTIONS[code];
  return description === undefined ? error.message : `${description} (${code})`;
}
