import type { AgentActivity } from "../../electron/contract/ipc.ts";
import type { NewToken, TokenInfo } from "../../electron/contract/tokens.ts";
import type { ToolError } from "../../mcp/contract/errors.ts";
import { appFailure, messageOf } from "../store/answer.ts";
import { applyAnswer, LOADING, type Reading } from "../store/reading.ts";
import type { Slice } from "../store/slice.ts";
import { applyActivity } from "./apply-activity.ts";

export type MadeToken =
  | { readonly ok: true; readonly created: NewToken }
  | { readonly ok: false; readonly error: ToolError };

export type AgentsSlice = {
  tokens: Reading<readonly TokenInfo[]>;
  /** What agents did, newest first. */
  activity: readonly AgentActivity[];
  /** Why the last token could not be taken back. */
  revokeProblem: string | null;
  /** Reads the tokens, and follows them and the agents' calls until called off. */
  followAgents: () => () => void;
  /** Asks in the consent window. The token is in this one answer only and is never put into the store. */
  makeToken: (name: string, permissions: string[]) => Promise<MadeToken>;
  revokeToken: (name: string) => Promise<void>;
};

export const agentsSlice: Slice<AgentsSlice> = (set, get, deps) => ({
  tokens: LOADING,
  activity: [],
  revokeProblem: null,
  followAgents() {
    const apply = (data: readonly TokenInfo[]) =>
      set({ tokens: { phase: "ready", data, at: deps.clock.now() } });
    const stops = [
      deps.door.listen("tokens:changed", apply),
      deps.door.listen("agents:activity", (call) =>
        set((state) => ({ activity: applyActivity(state.activity, call) })),
      ),
    ];
    deps.door.request("tokens:list", {}).then(apply, (error: unknown) => {
      const answer = appFailure(messageOf(error), "app_unreachable");
      set({ tokens: applyAnswer(get().tokens, answer, deps.clock.now()) });
    });
    return () => {
      for (const stop of stops) stop();
    };
  },
  async makeToken(name, permissions) {
    try {
      return await deps.door.request("tokens:create", { name, permissions });
    } catch (error) {
      return appFailure(messageOf(error), "app_unreachable") as MadeToken;
    }
  },
  async revokeToken(name) {
    set({ revokeProblem: null });
    try {
      const { revoked } = await deps.door.request("tokens:revoke", { name });
      if (!revoked) set({ revokeProblem: `There was no token named ${name}.` });
    } catch (error) {
      set({ revokeProblem: messageOf(error) });
    }
  },
});
