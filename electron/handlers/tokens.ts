import type { Consent } from "../consent/consent.ts";
import type { Handlers } from "../contract/ipc.ts";
import type { NewToken } from "../contract/tokens.ts";
import type { ToolError } from "../../mcp/contract/errors.ts";
import { TokenRefused, type TokenStore } from "../mcp-endpoint/tokens.ts";

export interface TokenHandlerParts {
  readonly tokens: TokenStore;
  readonly consent: Pick<Consent, "askRights">;
  readonly mcpUrl: string;
  /** The caller's sessions and questions end with its token. */
  readonly dropCaller: (name: string) => Promise<void>;
  readonly ending: AbortSignal;
}

type Rows = "tokens:list" | "tokens:create" | "tokens:revoke";

/** Agents' tokens: making one asks in the consent window, taking one away does not. */
export function tokenHandlers(parts: TokenHandlerParts): Pick<Handlers, Rows> {
  const { tokens } = parts;
  return {
    "tokens:list": async () => tokens.list(),
    async "tokens:create"({ name, permissions }) {
      try {
        tokens.assertFree(name);
        const answer = await parts.consent.askRights({
          title: "Make a token for an agent",
          consequence: `Whoever has this token may do what is listed, as "${name}", until you revoke it.`,
          details: [
            { label: "Name", text: name },
            { label: "Permissions", text: permissions.join(", ") },
          ],
          effects: permissions.map(effectOf),
          signal: parts.ending,
        });
        if (!answer.approved) return { ok: false, error: answer.error };
        const { info, token } = tokens.create(name, permissions);
        return {
          ok: true,
          created: { info, token, url: parts.mcpUrl, snippets: snippets(token, parts.mcpUrl) },
        };
      } catch (cause) {
        if (cause instanceof TokenRefused) return { ok: false, error: taken(cause.message) };
        throw cause;
      }
    },
    async "tokens:revoke"({ name }) {
      const revoked = tokens.revoke(name);
      if (revoked) await parts.dropCaller(name);
      return { revoked };
    },
  };
}

const EFFECTS: Readonly<Record<string, string>> = {
  "mcp.call": "Reads what the engines did.",
  "mcp.write": "Changes things on connections that allow it to agents; what cannot be undone still asks you.",
  "mcp.terminal": "Runs commands in terminal tabs, with your own rights on this computer.",
  "mcp.*": "Reads, changes things where agents may, and runs commands in terminal tabs with your own rights.",
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
