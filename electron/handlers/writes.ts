import type { Consent } from "../consent/consent.ts";
import type { Handlers } from "../contract/ipc.ts";
import type { Hub } from "../hub/hub.ts";
import type { SettingsStore } from "../settings.ts";

export interface WritesHandlerParts {
  readonly hub: Hub;
  readonly settings: SettingsStore;
  readonly consent: Pick<Consent, "askRights">;
  /** Agents are offered other tools from now on. */
  readonly onRightsChanged: () => void;
  readonly ending: AbortSignal;
}

/** The two switches of a connection. Giving rights asks the person in the consent window; taking them away does not. */
export function writesHandlers(parts: WritesHandlerParts): Pick<Handlers, "connections:set-writes"> {
  return {
    async "connections:set-writes"({ connection, who, allowed }) {
      const link = parts.hub.link(connection);
      if (link === undefined) {
        const error = `There is no connection ${connection}.`;
        return { ok: false, error: { error, code: "not_found", retryable: false } };
      }
      const { url } = link.meta;
      const now = who === "person" ? link.switches.personMayWrite : link.switches.agentsMayWrite;
      if (allowed && !now) {
        const whom = who === "person" ? "you, in the app," : "agents whose token may write";
        const answer = await parts.consent.askRights({
          title:
            who === "person"
              ? "Allow changes on a connection"
              : "Allow agents to change things on a connection",
          consequence: `From now on ${whom} may change things on this engine, also after a restart of the app.`,
          details: [],
          engine: { name: link.name, url, kind: link.meta.kind },
          effects: ["What is destructive or cannot be undone still asks you each time."],
          signal: parts.ending,
        });
        if (!answer.approved) return { ok: false, error: answer.error };
      }
      const kept = parts.settings.stored.writes ?? {};
      const key = writesKey(link.meta);
      parts.settings.change({ writes: { ...kept, [key]: { ...kept[key], [who]: allowed } } });
      link.setWrites({ [who]: allowed });
      parts.onRightsChanged();
      return { ok: true, connection: link.describe() };
    },
  };
}

/** Under what a connection's switches are kept: a remote engine by its address, the embedded one by itself. */
export function writesKey(engine: { readonly kind: "embedded" | "remote"; readonly url: string }): string {
  return engine.kind === "embedded" ? "embedded" : engine.url;
}
