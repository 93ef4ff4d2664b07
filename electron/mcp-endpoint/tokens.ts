import * as z from "zod/v4";
import { hashToken, makeToken } from "../../loopback/token.ts";
import {
  Permission,
  RateLimit,
  TerminalPolicy,
  TokenName,
  type TokenChange,
  type TokenInfo,
} from "../contract/tokens.ts";
import { openProfileFile } from "../profile-file.ts";
import { lookAlike } from "./alike-names.ts";
import { LOCAL_NAME, TOKEN_PREFIX } from "./local-token.ts";
import type { Caller } from "./permissions.ts";
import type { Authenticated } from "./server.ts";

/** More would be tokens nobody knows any more. */
export const MAX_TOKENS = 100;
/** How often "last used" reaches the disk, in ms: it is for people, who do not need it to the second. */
const USE_WRITTEN_EVERY_MS = 60_000;

/** How often pages hear of it, in ms. */
const USE_TOLD_EVERY_MS = 5_000;

const Stored = z.object({
  name: TokenName,
  permissions: z.array(Permission),
  rate_limit: RateLimit.optional(),
  terminal_policy: TerminalPolicy.optional(),
  /** sha256 of the token, which itself is nowhere. */
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  created_at: z.string(),
  last_used_at: z.string().optional(),
  client_claim: z.string().max(128).optional(),
});
type Stored = z.infer<typeof Stored>;

const TokenFile = z.object({ version: z.literal(1), tokens: z.array(Stored).max(MAX_TOKENS) });

/** Why a token was not made, in a sentence. */
export class TokenRefused extends Error {
  override readonly name = "TokenRefused";
}

export interface TokenStore {
  /** Set when not all of the file could be understood: what was wrong, whose token is lost, where it is kept. */
  readonly problem: string | undefined;
  list(): TokenInfo[];
  /** Who holds this token, with the permissions it has now. */
  authenticate(token: string): Authenticated | undefined;
  /** Who holds the token of this hash, with the permissions it has now; undefined once it opens nothing any more. */
  holder(tokenId: string): Caller | undefined;
  /** @throws TokenRefused before anything is asked or made */
  assertFree(name: string): void;
  /** Makes a token and returns it; nobody will see it again. @throws TokenRefused */
  create(
    name: string,
    permissions: readonly string[],
    limit?: RateLimit,
    policy?: TerminalPolicy,
  ): { info: TokenInfo; token: string };
  /** What it may from its next request on. Undefined when there is none of that name. */
  change(change: TokenChange): TokenInfo | undefined;
  /** True when there was one. From now on it opens nothing. */
  revoke(name: string): boolean;
  /** Notes that a caller has come, and what its client says of itself. */
  used(name: string, claim: string | undefined): void;
  /** Writes what is only noted so far. */
  flush(): void;
}

/** The named tokens of agents: made in the app, shown once, kept as hashes, gone the moment they are revoked. */
export function openTokenStore(
  path: string,
  now: () => Date,
  onChanged: (tokens: TokenInfo[]) => void = () => {},
): TokenStore {
  const file = openProfileFile<z.infer<typeof TokenFile>>(path, {
    schema: TokenFile,
    start: { version: 1, tokens: [] },
    lost: {
      all: "the tokens made before no longer work",
      some: "these tokens no longer work, the others do",
    },
  });
  let byHash = index(file.value.tokens);
  /** Uses that are not on disk yet. */
  const noted = new Map<string, Pick<Stored, "last_used_at" | "client_claim">>();
  let writtenMs = now().getTime();
  let toldMs = 0;

  const current = (): Stored[] => file.value.tokens.map((token) => ({ ...token, ...noted.get(token.name) }));
  const list = () => current().map(toInfo);
  const tell = () => {
    toldMs = now().getTime();
    onChanged(list());
  };
  const save = (tokens: Stored[]) => {
    file.save({ version: 1, tokens });
    byHash = index(tokens);
    noted.clear();
    writtenMs = now().getTime();
    tell();
  };
  const assertFree = (name: string) => {
    if (file.isNewer)
      throw new TokenRefused(`No token can be made that would be kept: ${file.problem ?? ""}`);
    const taken = [...file.value.tokens.map((token) => token.name), LOCAL_NAME].find((other) =>
      lookAlike(other, name),
    );
    if (taken === name) throw new TokenRefused(`There is a token named "${name}" already.`);
    if (taken !== undefined)
      throw new TokenRefused(`"${name}" looks like "${taken}", which there is already: take another name.`);
    if (file.value.tokens.length >= MAX_TOKENS)
      throw new TokenRefused(`There are ${MAX_TOKENS} tokens already.`);
  };

  function holder(tokenId: string): Caller | undefined {
    const found = byHash.get(tokenId);
    if (found === undefined) return undefined;
    const { name, permissions, rate_limit: rateLimit, terminal_policy: terminalPolicy } = found;
    return {
      kind: "token",
      name,
      permissions,
      ...(terminalPolicy === undefined ? {} : { terminalPolicy }),
      ...(rateLimit === undefined ? {} : { rateLimit }),
    };
  }

  return {
    problem: file.problem,
    list,
    authenticate(token) {
      const tokenId = hashToken(token);
      const caller = holder(tokenId);
      return caller === undefined ? undefined : { tokenId, caller };
    },
    holder,
    assertFree,
    create(name, permissions, limit, policy) {
      assertFree(name);
      const token = makeToken(TOKEN_PREFIX);
      const made: Stored = {
        name,
        permissions: [...permissions],
        hash: hashToken(token),
        ...(limit === undefined ? {} : { rate_limit: limit }),
        ...(policy === undefined ? {} : { terminal_policy: policy }),
        created_at: now().toISOString(),
      };
      save([...current(), made]);
      return { info: toInfo(made), token };
    },
    change({ name, permissions, rate_limit: limit, terminal_policy: policy }) {
      const all = current();
      const at = all.findIndex((token) => token.name === name);
      const before = all[at];
      if (before === undefined) return undefined;
      const { rate_limit: kept, ...rest } = before;
      const next = limit === undefined ? kept : (limit ?? undefined);
      const changed: Stored = {
        ...rest,
        ...(permissions === undefined ? {} : { permissions }),
        ...(next === undefined ? {} : { rate_limit: next }),
        ...(policy === undefined ? {} : { terminal_policy: policy }),
      };
      save(all.with(at, changed));
      return toInfo(changed);
    },
    revoke(name) {
      const left = current().filter((token) => token.name !== name);
      if (left.length === file.value.tokens.length) return false;
      save(left);
      return true;
    },
    used(name, claim) {
      if (!file.value.tokens.some((token) => token.name === name)) return;
      const before = noted.get(name)?.client_claim;
      const said = claim ?? before;
      noted.set(name, {
        last_used_at: now().toISOString(),
        ...(said === undefined ? {} : { client_claim: said.slice(0, 128) }),
      });
      const nowMs = now().getTime();
      if (nowMs - writtenMs >= USE_WRITTEN_EVERY_MS) save(current());
      else if (said !== before || nowMs - toldMs >= USE_TOLD_EVERY_MS) tell();
    },
    flush() {
      if (noted.size > 0) save(current());
    },
  };
}

const index = (tokens: readonly Stored[]) => new Map(tokens.map((token) => [token.hash, token]));

function toInfo(token: Stored): TokenInfo {
  const { hash: _, ...info } = token;
  return info;
}
