import { readFileSync } from "node:fs";
import * as tls from "node:tls";

type Env = Readonly<Record<string, string | undefined>>;

/** Where Linux distributions and BSDs keep the system's roots in one file. */
const SYSTEM_FILES = [
  "/etc/ssl/certs/ca-certificates.crt",
  "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
  "/etc/pki/tls/certs/ca-bundle.crt",
  "/etc/ssl/ca-bundle.pem",
  "/etc/ssl/cert.pem",
];

/**
 * The certificates that a TLS server may be vouched for by, as PEM: the system's roots (`SSL_CERT_FILE` names another file),
 * else those that Node carries, and what `NODE_EXTRA_CA_CERTS` adds. Node itself looks at the system's roots only in newer
 * versions and on request, and drops its extra ones as soon as any are named.
 * @param warn is told of a file that a variable names and that cannot be read
 */
export function trustedRoots(env: Env, warn: (text: string) => void): string[] {
  const fromVariable = (name: string): string[] => {
    const path = env[name];
    if (path === undefined || path === "") return [];
    const text = readText(path);
    if (text === undefined) warn(`warning: ${name} names a file that cannot be read: ${path}`);
    return text === undefined ? [] : [text];
  };
  const named = fromVariable("SSL_CERT_FILE");
  const system = named.length > 0 ? named : systemRoots();
  return [...(system.length > 0 ? system : tls.rootCertificates), ...fromVariable("NODE_EXTRA_CA_CERTS")];
}

function systemRoots(): string[] {
  for (const file of SYSTEM_FILES) {
    const text = readText(file);
    if (text !== undefined) return [text];
  }
  // On macOS and Windows only Node from 22.15 on can read them.
  const { getCACertificates } = tls as { getCACertificates?: (type: "system") => string[] };
  return getCACertificates?.("system") ?? [];
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined; // Not there on this system, or, where a variable names it, said by the caller.
  }
}
