const REASONS: Readonly<Record<string, string>> = {
  EACCES: "this user may not do that there",
  EPERM: "this user may not do that there",
  EROFS: "it is on a file system that can only be read",
  ENOSPC: "the disk is full",
  EDQUOT: "this user may store no more there",
  EIO: "the disk failed",
  EBUSY: "another program uses it",
  EEXIST: "a file is in its way",
  ENOTDIR: "a part of the path is a file",
  EISDIR: "a folder is in its place",
  ENOENT: "there is no such place",
  ENAMETOOLONG: "the name is too long",
  ELOOP: "its links lead in a circle",
};

/** What the system's error means, in words; its code where there are none for it. */
export function systemReason(cause: unknown): string {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : undefined;
  if (code === undefined) return cause instanceof Error ? cause.message : String(cause);
  return REASONS[code] ?? code;
}
