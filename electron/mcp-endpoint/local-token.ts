import { rmSync } from "node:fs";
import { hashToken, makeToken } from "../../loopback/token.ts";
import { writeFileAtomic } from "../atomic-file.ts";
import type { LocalTokenInfo } from "../contract/tokens.ts";
import type { Caller } from "./permissions.ts";
import type { Authenticated } from "./server.ts";

/** The name of the token that lies in a file of the profile, for scripts and tests of the same person. */
export const LOCAL_NAME = "local";
export const TOKEN_PREFIX = "ibk_";

export interface LocalToken {
  readonly info: LocalTokenInfo;
  authenticate(token: string): Authenticated | undefined;
  /** Who holds the token of this hash. */
  holder(tokenId: string): Caller | undefined;
  /** Takes the file away; the token ends with this life of the app anyway. */
  remove(): void;
}

/**
 * Makes the token of this launch and puts it into a file that only its owner reads. It may read; flags of the launch widen
 * it for this launch only, so nothing is kept.
 */
export function makeLocalToken(
  path: string,
  widen: { allowWrites: boolean; terminals: boolean },
): LocalToken {
  const token = makeToken(TOKEN_PREFIX);
  writeFileAtomic(path, `${token}\n`);
  const tokenId = hashToken(token);
  const caller: Caller = {
    kind: "token",
    name: LOCAL_NAME,
    permissions: [
      "mcp.call",
      ...(widen.allowWrites ? ["mcp.write"] : []),
      ...(widen.terminals ? ["mcp.terminal"] : []),
    ],
  };
  return {
    info: { name: LOCAL_NAME, permissions: [...caller.permissions], file: path },
    authenticate: (given) => (hashToken(given) === tokenId ? { caller, tokenId } : undefined),
    holder: (given) => (given === tokenId ? caller : undefined),
    remove: () => rmSync(path, { force: true }),
  };
}
