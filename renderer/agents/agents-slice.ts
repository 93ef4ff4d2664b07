import type { AgentActivity } from "../../electron/contract/ipc.ts";
import type { RequestIn, RequestOut } from "../../electron/contract/ipc.ts";
import type { LocalTokenInfo, NewToken, TokenChange, TokenInfo } from "../../electron/contract/tokens.ts";
import type { ToolError } from "../../mcp/contract/errors.ts";
import { appFailure, messageOf } from "../store/answer.ts";
import { applyAnswer, LOADING, type Reading } from "../store/reading.ts";
import type { Slice } from "../store/slice.ts";
import { applyActivity } from "./apply-activity.ts";

export type MadeToken =
  | { readonly ok: true; readonly created: NewToken }
  | { readonly ok: false; readonly error: ToolError };

export type ToolPermissions = RequestOut<"tools:permissions">;

const failed = (error: unknown): ToolError => ({
  error: messageOf(error),
  code: "app_unreachable",
  retryable: true,
});

export type AgentsSlice = {
  tokens: Reading<readonly TokenInfo[]>;
  /** The token in a file of this start; null until it is read. */
  localToken: LocalTokenInfo | null;
  /** What agents did, newest first. */
  activity: readonly AgentActivity[];
  /** Why the last token could not be taken back. */
  revokeProblem: string | null;
  /** Reads the tokens, and follows them and the agents' calls until called off. */
  followAgents: () => () => void;
  /** Asks in the consent window. The token is in this one answer only and is never put into the store. */
  makeToken: (wanted: RequestIn<"tokens:create">) => Promise<MadeToken>;
  /** Asks in the consent window where it gives more. The reason why it was not done, or null. */
  changeToken: (change: TokenChange) => Promise<ToolError | null>;
  /** Tools, and the permission the person put on each beside its own. */
  toolPermissions: Reading<ToolPermissions>;
  readToolPermissions: () => Promise<void>;
  setToolPermission: (tool: string, permission: string | null) => Promise<ToolError | null>;
  /** Why the permissions could not be called complete. */
  permissionsProblem: string | null;
  permissionsUnderWay: boolean;
  /** What was lost is put back. Asks in the consent window. */
  permissionsComplete: () => Promise<void>;
  revokeToken: (name: string) => Promise<void>;
};

export const agentsSlice: Slice<AgentsSlice> = (set, get, deps) => ({
  tokens: LOADING,
  localToken: null,
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
    deps.door.request("tokens:local", {}).then(
      (localToken) => set({ localToken }),
      () => {}, // the list beside it tells that main does not answer
    );
    return () => {
      for (const stop of stops) stop();
    };
  },
  async changeToken(change) {
    try {
      const answer = await deps.door.request("tokens:change", change);
      return answer.ok ? null : answer.error;
    } catch (error) {
      return failed(error);
    }
  },
  toolPermissions: LOADING,
  async readToolPermissions() {
    const answer = await deps.door.request("tools:permissions", {}).then(
      (data) => ({ ok: true, data }) as const,
      (error: unknown) => appFailure(messageOf(error), "app_unreachable"),
    );
    set((state) => ({ toolPermissions: applyAnswer(state.toolPermissions, answer, deps.clock.now()) }));
  },
  async setToolPermission(tool, permission) {
    try {
      const answer = await deps.door.request("tools:set-permission", { tool, permission });
      await get().readToolPermissions();
      return answer.ok ? null : answer.error;
    } catch (error) {
      return failed(error);
    }
  },
  permissionsProblem: null,
  permissionsUnderWay: false,
  async permissionsComplete() {
    set({ permissionsProblem: null, permissionsUnderWay: true });
    try {
      const answer = await deps.door.request("tools:permissions-complete", {});
      if (!answer.ok) set({ permissionsProblem: answer.error.error });
    } catch (error) {
      set({ permissionsProblem: messageOf(error) });
    }
    set({ permissionsUnderWay: false });
    await get().readToolPermissions();
  },
  async makeToken(wanted) {
    try {
      return await deps.door.request("tokens:create", wanted);
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
