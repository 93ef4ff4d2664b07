import type { Consent } from "../consent/consent.ts";
import type { Handlers } from "../contract/ipc.ts";
import type { ToolRow } from "../../mcp/contract/tool-row.ts";
import type { SettingsStore } from "../settings.ts";

export interface PermissionHandlerParts {
  readonly settings: SettingsStore;
  readonly consent: Pick<Consent, "askRights">;
  /** Every tool that an agent could be offered. */
  readonly rows: () => readonly ToolRow[];
  readonly onRightsChanged: () => void;
  readonly ending: AbortSignal;
}

type Rows = "tools:permissions" | "tools:permissions-complete" | "tools:set-permission";

/** Extra permissions on single tools: who has it not does not see the tool. */
export function permissionHandlers(parts: PermissionHandlerParts): Pick<Handlers, Rows> {
  const { settings } = parts;
  const tools = () => parts.rows().filter((row) => row.for !== "app");
  const extra = () => settings.stored.tool_permissions ?? {};
  return {
    async "tools:permissions"() {
      return {
        tools: tools().map(({ name, title, permission }) => ({ name, title, permission })),
        extra: extra(),
        lost: settings.stored.permissions_lost ?? null,
      };
    },
    async "tools:permissions-complete"() {
      const lost = settings.stored.permissions_lost;
      if (lost === undefined) return { ok: true };
      const answer = await parts.consent.askRights({
        title: "Offer tools to agents again",
        consequence:
          "Agents are offered again what their tokens, the connections and these permissions allow.",
        details: [
          ...Object.entries(extra()).map(([tool, permission]) => ({
            label: tool,
            text: `needs ${permission}`,
          })),
          { label: "What was lost", text: lost.problem },
        ],
        effects: ["A tool that is not listed here needs no permission but its own."],
        signal: parts.ending,
      });
      if (!answer.approved) return { ok: false, error: answer.error };
      settings.change({ permissions_lost: undefined });
      parts.onRightsChanged();
      return { ok: true };
    },
    async "tools:set-permission"({ tool, permission }) {
      // One that was put on a tool of an application stays, and can be taken off, while the tool is away.
      if (extra()[tool] === undefined && !tools().some(({ name }) => name === tool)) {
        const error = `There is no tool ${tool} for agents.`;
        return { ok: false, error: { error, code: "not_found", retryable: false } };
      }
      const before = extra()[tool];
      if (before !== undefined && before !== permission) {
        const answer = await parts.consent.askRights({
          title: "Let other tokens use a tool",
          consequence:
            permission === null
              ? `Agents no longer need the permission ${before} to see and call this tool.`
              : `Agents need the permission ${permission} instead of ${before} to see and call this tool.`,
          details: [{ label: "Tool", text: tool }],
          effects: ["What its own row asks for stays: permissions, switches and questions."],
          signal: parts.ending,
        });
        if (!answer.approved) return { ok: false, error: answer.error };
      }
      const { [tool]: _, ...others } = extra();
      settings.change({
        tool_permissions: permission === null ? others : { ...others, [tool]: permission },
      });
      parts.onRightsChanged();
      return { ok: true };
    },
  };
}
