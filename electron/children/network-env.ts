import { LOOPBACK_HOSTS } from "../../loopback/loopback-hosts.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** How a remote engine is reached. A proxy's address may hold a password: only this child gets it, and only where it is used. */
const PROXIES = ["HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "NO_PROXY"].flatMap((name) => [
  name,
  name.toLowerCase(),
]);
/** Who vouches for certificates. An engine on this machine may have one too, of an authority of the person's own. */
const TRUST = ["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE"];

/** Of `env`, what a tool server needs to reach the engine at `url`. */
export function networkEnv(url: string, env: Env): Record<string, string> {
  const { hostname, protocol } = new URL(url);
  const isRemote = !LOOPBACK_HOSTS.has(hostname);
  const names = [...(isRemote ? PROXIES : []), ...(isRemote || protocol === "https:" ? TRUST : [])];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
