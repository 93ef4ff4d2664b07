/** Where the window is: a page, what is open on it, and how it is filtered. Lives in the address after the `#`. */
export const PAGES = [
  "overview",
  "runs",
  "events",
  "functions",
  "dead-letters",
  "breakers",
  "terminals",
  "agents",
  "probe",
  "approvals",
  "audit",
  "settings",
] as const;
export type Page = (typeof PAGES)[number];

export type Query = Readonly<Record<string, string>>;
export type Route = { readonly page: Page; readonly id: string | null; readonly query: Query };

export const HOME: Route = { page: "overview", id: null, query: {} };

const isPage = (name: string): name is Page => (PAGES as readonly string[]).includes(name);

/** `/runs/run_1?status=failed`, with or without a leading `#`. A path that is no page of ours is the home page. */
export function parseRoute(path: string): Route {
  const [before = "", after = ""] = path.replace(/^#/, "").split("?", 2);
  const [page = "", id = ""] = before.replace(/^\//, "").split("/", 2);
  if (!isPage(page)) return HOME;
  const query: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(after)) if (value !== "") query[name] = value;
  return { page, id: decode(id) || null, query };
}

/** The path of a route: what `parseRoute` reads back. Empty filters are left out. */
export function formatRoute(page: Page, id: string | null = null, query: Query = {}): string {
  const pairs = Object.entries(query).filter(([, value]) => value !== "");
  const search = pairs.length === 0 ? "" : `?${new URLSearchParams(pairs).toString()}`;
  return `/${page}${id === null ? "" : `/${encodeURIComponent(id)}`}${search}`;
}

/** The same as the address of a link. */
export const hrefTo = (page: Page, id: string | null = null, query: Query = {}): string =>
  `#${formatRoute(page, id, query)}`;

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
