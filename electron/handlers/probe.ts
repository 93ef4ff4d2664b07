import type { Consent } from "../consent/consent.ts";
import type { Handlers } from "../contract/ipc.ts";
import type { ToolError } from "../../mcp/contract/errors.ts";
import type { Hub } from "../hub/hub.ts";
import { NoProbe, PROBE_MS, type Probes } from "../probe/probes.ts";
import { effectOf } from "./tokens.ts";

export interface ProbeHandlerParts {
  readonly probes: Probes;
  readonly hub: Pick<Hub, "link">;
  readonly consent: Pick<Consent, "askRights">;
  readonly ending: AbortSignal;
}

type Rows = "probe:open" | "probe:call" | "probe:close";

/** What the page may do without a question: a page that was taken over could do no more with it than read. */
const READING = "mcp.call";

/** "Test as an agent". Its calls pass the gate and ask the person as every agent's do. */
export function probeHandlers({ probes, hub, consent, ending }: ProbeHandlerParts): Pick<Handlers, Rows> {
  return {
    async "probe:open"({ connection, permissions }) {
      const link = hub.link(connection);
      if (link === undefined) return { ok: false, error: unknown(`There is no connection "${connection}".`) };
      if (permissions.some((permission) => permission !== READING)) {
        const answer = await consent.askRights({
          title: "Test as an agent",
          consequence: `A test in this app may do what is listed, as an agent, for ${PROBE_MS / 60_000} minutes or until its page is left.`,
          engine: { name: link.name, url: link.meta.url, kind: link.meta.kind },
          details: [{ label: "Permissions", text: permissions.join(", ") }],
          effects: permissions.map(effectOf),
          signal: ending,
        });
        if (!answer.approved) return { ok: false, error: answer.error };
      }
      return { ok: true, probe: await probes.open(connection, permissions) };
    },
    async "probe:call"({ probe, era, tool, arguments: args }) {
      try {
        return { ok: true, outcome: await probes.call(probe, era, tool, args) };
      } catch (cause) {
        if (cause instanceof NoProbe) return { ok: false, error: unknown(cause.message) };
        throw cause;
      }
    },
    "probe:close": async ({ probe }) => ({ closed: await probes.close(probe) }),
  };
}

const unknown = (error: string): ToolError => ({ error, code: "not_found", retryable: false });
