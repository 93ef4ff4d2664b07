import type { EngineInfo, EngineTest } from "../../electron/contract/engines.ts";
import type { RequestIn } from "../../electron/contract/ipc.ts";
import type { ToolError } from "../../mcp/contract/errors.ts";
import { appFailure, messageOf } from "../store/answer.ts";
import { applyAnswer, LOADING, type Reading } from "../store/reading.ts";
import type { Slice } from "../store/slice.ts";

export type TestState =
  | { readonly phase: "under_way" }
  | { readonly phase: "tested"; readonly test: EngineTest }
  | { readonly phase: "failed"; readonly problem: string };

export type EnginesSlice = {
  engines: Reading<readonly EngineInfo[]>;
  /** The last test of each engine, by its id. */
  engineTests: Readonly<Record<string, TestState>>;
  /** Why the window could not go to another engine. */
  switchProblem: string | null;
  /** Reads the engines and follows them until called off. */
  followEngines: () => () => void;
  /** Whether the system keeps keys; null where that is not known. */
  readKeyStore: () => Promise<boolean | null>;
  switchEngine: (id: string) => Promise<void>;
  testEngine: (id: string) => Promise<void>;
  /** Asks in the consent window. The key goes to main in this one request and is never put into the store. */
  addEngine: (engine: RequestIn<"engines:add">) => Promise<ToolError | null>;
  renameEngine: (id: string, name: string) => Promise<ToolError | null>;
  setEngineKey: (id: string, key: string | null) => Promise<ToolError | null>;
  removeEngine: (id: string) => Promise<ToolError | null>;
};

export const enginesSlice: Slice<EnginesSlice> = (set, get, deps) => {
  const apply = (data: readonly EngineInfo[]) =>
    set({ engines: { phase: "ready", data, at: deps.clock.now() } });

  async function problemOf(
    answer: Promise<{ ok: true } | { ok: false; error: ToolError }>,
  ): Promise<ToolError | null> {
    try {
      const answered = await answer;
      return answered.ok ? null : answered.error;
    } catch (error) {
      return { error: messageOf(error), code: "app_unreachable", retryable: true };
    }
  }

  return {
    engines: LOADING,
    engineTests: {},
    switchProblem: null,
    followEngines() {
      const stop = deps.door.listen("engines:changed", apply);
      const read = () =>
        deps.door.request("engines:list", {}).then(apply, (error: unknown) => {
          const answer = appFailure(messageOf(error), "app_unreachable");
          set({ engines: applyAnswer(get().engines, answer, deps.clock.now()) });
        });
      void read();
      // Addresses and switches are a connection's, and change with it.
      const stopConnections = deps.door.listen("connections:changed", () => void read());
      return () => {
        stop();
        stopConnections();
      };
    },
    async readKeyStore() {
      try {
        return (await deps.door.request("engines:key-store", {})).keeps;
      } catch {
        return null; // only what is said of the key depends on it
      }
    },
    async switchEngine(id) {
      set({ switchProblem: null });
      const problem = await problemOf(deps.door.request("engines:switch", { id }));
      if (problem !== null) set({ switchProblem: problem.error });
    },
    async testEngine(id) {
      const note = (state: TestState) =>
        set(({ engineTests }) => ({ engineTests: { ...engineTests, [id]: state } }));
      note({ phase: "under_way" });
      try {
        const answer = await deps.door.request("engines:test", { id });
        note(
          answer.ok
            ? { phase: "tested", test: answer.test }
            : { phase: "failed", problem: answer.error.error },
        );
      } catch (error) {
        note({ phase: "failed", problem: messageOf(error) });
      }
    },
    addEngine: (engine) => problemOf(deps.door.request("engines:add", engine)),
    renameEngine: (id, name) => problemOf(deps.door.request("engines:rename", { id, name })),
    async setEngineKey(id, api_key) {
      const problem = await problemOf(deps.door.request("engines:set-key", { id, api_key }));
      if (problem === null) {
        // What a test found with the key of before says nothing any more.
        set(({ engineTests: { [id]: _before, ...others } }) => ({ engineTests: others }));
      }
      return problem;
    },
    removeEngine: (id) => problemOf(deps.door.request("engines:remove", { id })),
  };
};
