import type { LeftOpenQuestion, PanicState } from "../../electron/contract/ipc.ts";
import type { RememberedAnswer } from "../../electron/contract/tokens.ts";
import { appFailure, messageOf } from "../store/answer.ts";
import { applyAnswer, LOADING, type Reading } from "../store/reading.ts";
import type { Slice } from "../store/slice.ts";

export type ApprovalsSlice = {
  remembered: Reading<readonly RememberedAnswer[]>;
  /** Questions that the last life of the app could not bring to an end. */
  leftOpen: readonly LeftOpenQuestion[];
  panic: PanicState;
  /** It is being stopped, or the person is being asked whether to lift it. */
  panicUnderWay: "stopping" | "lifting" | null;
  approvalsProblem: string | null;
  /** Another program has the shortcut that stops everything; null until that is known. */
  shortcutLost: boolean | null;
  /** Tries to take it once more. */
  takeShortcut: () => Promise<void>;
  /** Reads what was decided and follows it until called off. */
  followApprovals: () => () => void;
  forgetRemembered: (id: string) => Promise<void>;
  stopEverything: () => Promise<void>;
  /** Asks in the consent window. */
  liftPanic: () => Promise<void>;
  dismissLeftOpen: () => void;
  /** What of the profile could not be read at this start, a sentence each. */
  profileProblems: readonly string[];
  dismissProblems: () => void;
};

export const approvalsSlice: Slice<ApprovalsSlice> = (set, get, deps) => {
  const fail = (error: unknown) => set({ approvalsProblem: messageOf(error) });
  return {
    remembered: LOADING,
    leftOpen: [],
    panic: { stopped: false },
    panicUnderWay: null,
    approvalsProblem: null,
    shortcutLost: null,
    async takeShortcut() {
      try {
        const { taken } = await deps.door.request("panic:take-shortcut", {});
        set({ shortcutLost: !taken });
      } catch (error) {
        fail(error);
      }
    },
    followApprovals() {
      const apply = (data: readonly RememberedAnswer[]) =>
        set({ remembered: { phase: "ready", data, at: deps.clock.now() } });
      const stops = [
        deps.door.listen("remembered:changed", apply),
        deps.door.listen("panic:changed", (panic) => set({ panic })),
      ];
      deps.door.request("remembered:list", {}).then(apply, (error: unknown) => {
        const answer = appFailure(messageOf(error), "app_unreachable");
        set({ remembered: applyAnswer(get().remembered, answer, deps.clock.now()) });
      });
      deps.door.request("panic:state", {}).then((panic) => set({ panic }), fail);
      deps.door.request("app:problems", {}).then((profileProblems) => set({ profileProblems }), fail);
      void get().takeShortcut();
      void get().readToolPermissions(); // some may have been lost: that is said on every page
      deps.door.request("questions:left-open", {}).then((leftOpen) => set({ leftOpen }), fail);
      return () => {
        for (const stop of stops) stop();
      };
    },
    async forgetRemembered(id) {
      set({ approvalsProblem: null });
      try {
        await deps.door.request("remembered:forget", { id });
      } catch (error) {
        fail(error);
      }
    },
    async stopEverything() {
      set({ approvalsProblem: null, panicUnderWay: "stopping" });
      try {
        set({ panic: await deps.door.request("panic:stop", {}) });
      } catch (error) {
        fail(error);
      } finally {
        set({ panicUnderWay: null });
      }
    },
    async liftPanic() {
      set({ approvalsProblem: null, panicUnderWay: "lifting" });
      try {
        const answer = await deps.door.request("panic:lift", {});
        if (!answer.ok) set({ approvalsProblem: answer.error.error });
      } catch (error) {
        fail(error);
      } finally {
        set({ panicUnderWay: null });
      }
    },
    dismissLeftOpen: () => set({ leftOpen: [] }),
    profileProblems: [],
    dismissProblems: () => set({ profileProblems: [] }),
  };
};
