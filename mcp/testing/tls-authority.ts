import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export type TlsAuthority = {
  /** Path of the certificate, which vouches for itself and for `hosts`. */
  readonly file: string;
  readonly cert: string;
  readonly key: string;
  remove(): void;
};

/** A certificate made for a test, for a hundred years, with its key. */
export function tlsAuthority(hosts: readonly string[]): TlsAuthority {
  const folder = mkdtempSync(join(tmpdir(), "ironbridge-tls-"));
  const [keyFile, file] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const names = hosts.map((host) => (/^[\d.]+$/.test(host) ? `IP:${host}` : `DNS:${host}`)).join(",");
  const flags =
    "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 36500 -subj /CN=test";
  const files = ["-addext", `subjectAltName=${names}`, "-keyout", keyFile, "-out", file];
  const made = spawnSync("openssl", [...flags.split(" "), ...files]);
  if (made.status !== 0) throw new Error(`openssl: ${String(made.stderr)}`);
  return {
    file,
    cert: readFileSync(file, "utf8"),
    key: readFileSync(keyFile, "utf8"),
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}
