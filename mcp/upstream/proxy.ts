type Env = Readonly<Record<string, string | undefined>>;

/** A proxy that cannot be used, or that did not let a call through. Its text holds no password. */
export class ProxyProblem extends Error {
  override readonly name = "ProxyProblem";
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * The proxy through which an address is reached, or undefined for none: `HTTPS_PROXY` or `HTTP_PROXY` by the address's
 * scheme, else `ALL_PROXY`, lower-case names first. `NO_PROXY` lists hosts, with their subdomains and optionally a port, that
 * are reached directly; loopback always is, for no proxy can reach it.
 * @throws ProxyProblem for one that is no http or https address
 */
export function proxyFor(target: URL, env: Env): URL | undefined {
  if (LOOPBACK.test(target.hostname)) return undefined;
  const scheme = target.protocol === "https:" ? "https" : "http";
  const given = lookUp(env, `${scheme}_proxy`) ?? lookUp(env, "all_proxy");
  if (given === undefined || isExempt(target, lookUp(env, "no_proxy") ?? "")) return undefined;
  const text = given.value.includes("://") ? given.value : `http://${given.value}`;
  const proxy = URL.canParse(text) ? new URL(text) : undefined;
  if (proxy?.protocol === "http:" || proxy?.protocol === "https:") return proxy;
  throw new ProxyProblem(`${given.name} must be an http or https address`);
}

/**
 * `Basic …` for the name and password in a proxy's address, or undefined when it has none.
 * @throws ProxyProblem where they are not percent-encoded as they have to be
 */
export function proxyAuthorization({ username, password, host }: URL): string | undefined {
  if (username === "" && password === "") return undefined;
  let pair: string;
  try {
    pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  } catch {
    throw new ProxyProblem(`the name or password of the proxy at ${host} is not percent-encoded correctly`);
  }
  return `Basic ${Buffer.from(pair).toString("base64")}`;
}

function lookUp(env: Env, lower: string): { name: string; value: string } | undefined {
  for (const name of [lower, lower.toUpperCase()]) {
    const value = env[name]?.trim();
    if (value !== undefined && value !== "") return { name, value };
  }
  return undefined;
}

function isExempt(target: URL, list: string | { value: string }): boolean {
  const entries = (typeof list === "string" ? list : list.value).toLowerCase().split(/[\s,]+/);
  const host = target.hostname.toLowerCase();
  const port = target.port === "" ? (target.protocol === "https:" ? "443" : "80") : target.port;
  return entries.some((entry) => {
    if (entry === "") return false;
    if (entry === "*") return true;
    const [, name = "", onlyPort] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? [];
    if (onlyPort !== undefined && onlyPort !== port) return false;
    const bare = name.replace(/^\*?\./, "");
    return bare !== "" && (host === bare || host.endsWith(`.${bare}`));
  });
}
