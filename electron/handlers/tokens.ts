import type { Consent } from "../consent/consent.ts";
import { DEFAULT_TERMINAL_POLICY } from "../consent/terminal-policy.ts";
import type { Handlers } from "../contract/ipc.ts";
import type { LocalTokenInfo, NewToken, RateLimit, TokenInfo } from "../contract/tokens.ts";
import type { ToolError } from "../../mcp/contract/errors.ts";
import { grants } from "../mcp-endpoint/permissions.ts";
import { limitWords } from "../mcp-endpoint/rate-limit.ts";
import { TokenRefused, type TokenStore } from "../mcp-endpoint/tokens.ts";

export interface TokenHandlerParts {
  readonly localToken: LocalTokenInfo;
  readonly tokens: TokenStore;
  readonly consent: Pick<Consent, "askRights">;
  readonly mcpUrl: string;
  /** The caller's sessions and questions end with its token. */
  readonly dropCaller: (name: string) => Promise<void>;
  /** Its next request knows: clients are told that their list of tools may be another. */
  readonly onRightsChanged: () => void;
  /** It may do less than before, or is asked about more: what it waits for under its old rights is over. */
  readonly onNarrowed: (name: string) => void;
  /** Its count of calls starts over. */
  readonly onLimitChanged: (name: string) => void;
  readonly ending: AbortSignal;
}

type Rows = "tokens:list" | "tokens:local" | "tokens:create" | "tokens:change" | "tokens:revoke";

/** Agents' tokens: making one asks in the consent window, taking one away does not. */
export function tokenHandlers(parts: TokenHandlerParts): Pick<Handlers, Rows> {
  const { tokens } = parts;
  return {
    "tokens:list": async () => tokens.list(),
    "tokens:local": async () => parts.localToken,
    async "tokens:create"({ name, permissions, rate_limit: limit, terminal_policy: policy }) {
      try {
        tokens.assertFree(name);
        const runs = grants(permissions, "mcp.terminal");
        const answer = await parts.consent.askRights({
          title: "Make a token for an agent",
          consequence: `Whoever has this token may do what is listed, as "${name}", until you revoke it.`,
          details: [
            { label: "Name", text: name },
            { label: "Permissions", text: permissions.join(", ") },
            ...(limit === undefined ? [] : [{ label: "Limit", text: limitWords(limit) }]),
            ...(runs ? [{ label: "Commands", text: POLICY_WORDS[policy ?? DEFAULT_TERMINAL_POLICY] }] : []),
          ],
          effects: permissions.map(effectOf),
          signal: parts.ending,
        });
        if (!answer.approved) return { ok: false, error: answer.error };
        const { info, token } = tokens.create(name, permissions, limit, policy);
        return {
          ok: true,
          created: { info, token, url: parts.mcpUrl, snippets: snippets(token, parts.mcpUrl) },
        };
      } catch (cause) {
        if (cause instanceof TokenRefused) return { ok: false, error: taken(cause.message) };
        throw cause;
      }
    },
    async "tokens:change"(change) {
      const { name } = change;
      const before = tokens.list().find((token) => token.name === name);
      if (before === undefined) return { ok: false, error: noToken(name) };
      const added = (change.permissions ?? []).filter((wanted) => !grants(before.permissions, wanted));
      const looser = isLooser(before.rate_limit, change.rate_limit);
      const asksLess =
        change.terminal_policy !== undefined &&
        POLICY_ORDER[change.terminal_policy] >
          POLICY_ORDER[before.terminal_policy ?? DEFAULT_TERMINAL_POLICY];
      if (added.length > 0 || looser || asksLess) {
        const limit = change.rate_limit === null ? undefined : (change.rate_limit ?? before.rate_limit);
        const answer = await parts.consent.askRights({
          title: "Give a token more rights",
          consequence: `Whoever has the token "${name}" may do more than before, from the next request on.`,
          details: [
            { label: "Name", text: name },
            { label: "Permissions", text: (change.permissions ?? before.permissions).join(", ") },
            { label: "Limit", text: limit === undefined ? "none" : limitWords(limit) },
            ...(change.terminal_policy === undefined
              ? []
              : [{ label: "Commands", text: POLICY_WORDS[change.terminal_policy] }]),
          ],
          effects: [
            ...added.map(effectOf),
            ...(looser ? ["Its calls are limited less than before."] : []),
            ...(asksLess ? ["You are asked about fewer of its commands, or none."] : []),
          ],
          signal: parts.ending,
        });
        if (!answer.approved) return { ok: false, error: answer.error };
      }
      const info = tokens.change(change);
      if (info === undefined) return { ok: false, error: noToken(name) }; // revoked while the person was asked
      if (isNarrower(before, info)) parts.onNarrowed(name);
      if (change.rate_limit !== undefined) parts.onLimitChanged(name);
      parts.onRightsChanged();
      return { ok: true, info };
    },
    async "tokens:revoke"({ name }) {
      const revoked = tokens.revoke(name);
      if (revoked) await parts.dropCaller(name);
      return { revoked };
    },
  };
}

const POLICY_ORDER = { each: 0, once: 1, allow: 2 } as const;
const POLICY_WORDS = {
  each: "ask for each command",
  once: "ask once per start of the app",
  allow: "run without asking",
} as const;

const noToken = (name: string): ToolError => ({
  error: `There is no token named "${name}".`,
  code: "not_found",
  retryable: false,
});

/** Whether the new limit may let a call through that the old one refuses. Undefined leaves it, null takes it away. */
function isLooser(before: RateLimit | undefined, after: RateLimit | null | undefined): boolean {
  if (before === undefined || after === undefined) return false;
  return after === null || after.calls > before.calls || after.per_s < before.per_s;
}

/** Whether the token lost a permission, or more of its commands are asked about. */
function isNarrower(before: TokenInfo, after: TokenInfo): boolean {
  const order = ({ terminal_policy: policy }: TokenInfo) => POLICY_ORDER[policy ?? DEFAULT_TERMINAL_POLICY];
  return order(after) < order(before) || before.permissions.some((held) => !grants(after.permissions, held));
}

const EFFECTS: Readonly<Record<string, string>> = {
  "mcp.call": "Reads what the engines did.",
  "mcp.write": "Changes things on connections that allow it to agents; what cannot be undone still asks you.",
  "mcp.terminal": "Runs commands in terminal tabs, with your own rights on this computer.",
  "mcp.audit": "Reads the audit: what every agent and you did here.",
  "mcp.*":
    "Reads, changes things where agents may, runs commands in terminal tabs with your own rights, and reads the audit.",
  "*": "Everything that any permission allows, now and later.",
};

export const effectOf = (permission: string): string =>
  EFFECTS[permission] ?? `Holds the permission ${permission}.`;

const taken = (error: string): ToolError => ({ error, code: "already_exists", retryable: false });

/** What a person pastes into an agent's configuration. */
function snippets(token: string, url: string): NewToken["snippets"] {
  const server = { type: "http", url, headers: { Authorization: `Bearer ${token}` } };
  return [
    {
      title: "Claude Code",
      language: "shell",
      text: `claude mcp add --transport http ironbridge ${url} --header "Authorization: Bearer ${token}"`,
    },
    {
      title: "Any client that reads mcpServers (.mcp.json)",
      language: "json",
      text: JSON.stringify({ mcpServers: { ironbridge: server } }, null, 2),
    },
  ];
}
