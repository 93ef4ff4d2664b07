/** The one origin of our pages, and the two pages there are. Each window may load only its own. */
export const SCHEME = "app";
export const ORIGIN = "app://ironbridge";

export type PageName = "index.html" | "consent.html";

export const pageUrl = (page: PageName): string => `${ORIGIN}/${page}`;

/**
 * What each page may load: itself only. The main page's styles are also set by libraries at run time (xterm writes
 * `<style>` elements), so they may be inline there; scripts never. The consent page reaches nothing at all.
 */
export const CONTENT_SECURITY_POLICY: Readonly<Record<PageName, string>> = {
  "index.html": policy({
    "style-src": "'self' 'unsafe-inline'",
    "connect-src": "'self'",
    "worker-src": "'self'",
  }),
  "consent.html": policy({ "style-src": "'self'", "connect-src": "'none'", "worker-src": "'none'" }),
};

function policy(own: Record<string, string>): string {
  const directives = {
    "default-src": "'none'",
    "script-src": "'self'",
    "img-src": "'self' data:",
    "font-src": "'self'",
    "frame-src": "'none'",
    "frame-ancestors": "'none'",
    "object-src": "'none'",
    "base-uri": "'none'",
    "form-action": "'none'",
    ...own,
  };
  return Object.entries(directives)
    .map(([name, value]) => `${name} ${value}`)
    .join("; ");
}
