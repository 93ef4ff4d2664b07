import { realpathSync } from "node:fs";
import { extname, join, sep } from "node:path";
import { ORIGIN, SCHEME } from "./pages.ts";

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
  ".json": "application/json; charset=utf-8",
};

export interface PageFile {
  readonly path: string;
  readonly mediaType: string;
}

/**
 * The file behind an address of our scheme, or undefined: for another host, a path that leaves the folder in whatever
 * form (encoded, by a link), a kind of file that pages do not have, and a file that is not there.
 * @param root absolute path of the folder that holds the pages
 */
export function pageFile(root: string, address: string): PageFile | undefined {
  const segments = segmentsOf(address);
  const last = segments?.at(-1);
  if (segments === undefined || last === undefined) return undefined;
  const mediaType = MEDIA_TYPES[extname(last)];
  if (mediaType === undefined) return undefined;
  try {
    const path = realpathSync(join(root, ...segments));
    return path.startsWith(realpathSync(root) + sep) ? { path, mediaType } : undefined;
  } catch {
    return undefined; // not there: the same answer as for a path that may not be read
  }
}

function segmentsOf(address: string): string[] | undefined {
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  if (url.protocol !== `${SCHEME}:` || `${SCHEME}://${url.host}` !== ORIGIN) return undefined;
  try {
    const segments = url.pathname.slice(1).split("/").map(decodeURIComponent);
    return segments.every((segment) => /^[A-Za-z0-9_][A-Za-z0-9._-]*$/.test(segment)) ? segments : undefined;
  } catch {
    return undefined; // not percent-encoded UTF-8
  }
}
