import type { Probe, ProbeEra, ProbeFrame, ProbeOutcome } from "../../electron/contract/probe.ts";
import type { ToolError } from "../../mcp/contract/errors.ts";
import { messageOf } from "../store/answer.ts";
import type { Slice } from "../store/slice.ts";

/** Frames that stay on screen; the oldest go first. */
const MAX_FRAMES = 500;

export type ProbeState =
  | { readonly phase: "closed" }
  | { readonly phase: "opening" }
  | { readonly phase: "refused"; readonly error: ToolError }
  | { readonly phase: "open"; readonly probe: Probe };

export type ProbeCallState =
  | { readonly phase: "none" }
  | { readonly phase: "under_way"; readonly tool: string }
  | { readonly phase: "refused"; readonly error: ToolError }
  | { readonly phase: "answered"; readonly tool: string; readonly outcomes: readonly ProbeOutcome[] };

export type ProbeSlice = {
  probe: ProbeState;
  probeCall: ProbeCallState;
  probeFrames: readonly ProbeFrame[];
  /** Connects in both eras; more than reading asks in the consent window first. */
  openProbe: (connection: string, permissions: string[]) => Promise<void>;
  /** Calls a tool in these eras, one after the other. */
  callProbe: (eras: readonly ProbeEra[], tool: string, args: Record<string, unknown>) => Promise<void>;
  closeProbe: () => Promise<void>;
};

export const probeSlice: Slice<ProbeSlice> = (set, get, deps) => {
  const failed = (error: unknown): ToolError => ({
    error: messageOf(error),
    code: "app_unreachable",
    retryable: true,
  });
  const keep = (frames: readonly ProbeFrame[]) =>
    set((state) => ({ probeFrames: [...state.probeFrames, ...frames].slice(-MAX_FRAMES) }));
  /** The page that asked may have been left meanwhile. */
  let asked = 0;
  return {
    probe: { phase: "closed" },
    probeCall: { phase: "none" },
    probeFrames: [],
    async openProbe(connection, permissions) {
      asked += 1;
      const mine = asked;
      set({ probe: { phase: "opening" }, probeCall: { phase: "none" }, probeFrames: [] });
      try {
        const answer = await deps.door.request("probe:open", { connection, permissions });
        if (mine !== asked) {
          if (answer.ok) await deps.door.request("probe:close", { probe: answer.probe.id });
          return;
        }
        if (!answer.ok) return set({ probe: { phase: "refused", error: answer.error } });
        keep(answer.probe.frames);
        set({ probe: { phase: "open", probe: answer.probe } });
      } catch (error) {
        if (mine === asked) set({ probe: { phase: "refused", error: failed(error) } });
      }
    },
    async callProbe(eras, tool, args) {
      const { probe } = get();
      if (probe.phase !== "open") return;
      const mine = asked;
      set({ probeCall: { phase: "under_way", tool } });
      const outcomes: ProbeOutcome[] = [];
      try {
        for (const era of eras) {
          const call = { probe: probe.probe.id, era, tool, arguments: args };
          const answer = await deps.door.request("probe:call", call);
          if (mine !== asked) return;
          if (!answer.ok) return set({ probeCall: { phase: "refused", error: answer.error } });
          keep(answer.outcome.frames);
          outcomes.push(answer.outcome);
        }
        set({ probeCall: { phase: "answered", tool, outcomes } });
      } catch (error) {
        if (mine === asked) set({ probeCall: { phase: "refused", error: failed(error) } });
      }
    },
    async closeProbe() {
      asked += 1;
      const { probe } = get();
      set({ probe: { phase: "closed" }, probeCall: { phase: "none" }, probeFrames: [] });
      if (probe.phase === "open")
        await deps.door.request("probe:close", { probe: probe.probe.id }).catch(() => {
          // Main ends it by itself after a while.
        });
    },
  };
};
