import { readFile } from "node:fs/promises";
import { protocol, type Session } from "electron";
import { pageFile } from "./page-file.ts";
import { CONTENT_SECURITY_POLICY, SCHEME, type PageName } from "./pages.ts";

/** Before the app is ready: makes `app:` a standard, secure scheme, so that pages have an origin and a CSP counts. */
export function declarePageScheme(): void {
  protocol.registerSchemesAsPrivileged([
    { scheme: SCHEME, privileges: { standard: true, secure: true, supportFetchAPI: true } },
  ]);
}

/**
 * Serves one page and what belongs to it to one session.
 * @param root folder of the built pages
 * @param page the only document that this session gets
 */
export function servePages(session: Session, root: string, page: PageName): void {
  session.protocol.handle(SCHEME, async (request) => {
    const file =
      request.method === "GET" || request.method === "HEAD" ? pageFile(root, request.url) : undefined;
    const isDocument = file?.mediaType.startsWith("text/html") ?? false;
    if (file === undefined || (isDocument && !file.path.endsWith(page)))
      return new Response(null, { status: 404 });
    return new Response(request.method === "HEAD" ? null : new Uint8Array(await readFile(file.path)), {
      headers: {
        "content-type": file.mediaType,
        "content-security-policy": CONTENT_SECURITY_POLICY[page],
        "x-content-type-options": "nosniff",
        "cache-control": "no-store",
        "cross-origin-opener-policy": "same-origin",
      },
    });
  });
}
