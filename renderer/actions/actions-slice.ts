import type { ToolError } from "../../mcp/contract/errors.ts";
import type { ToolArguments, ToolName, ToolOutput } from "../../mcp/contract/tools.ts";
import type { Answer } from "../store/answer.ts";
import type { Slice } from "../store/slice.ts";

/** What became of something a person pressed. It stays in place until the next press or until it is put away. */
export type ActionState =
  | { readonly phase: "under_way"; readonly what: string }
  | { readonly phase: "done"; readonly note: string }
  | { readonly phase: "not_done"; readonly what: string; readonly error: ToolError };

export type ActionsSlice = {
  /** By place: the run, breaker or page where the button is. */
  actions: Readonly<Record<string, ActionState>>;
  /** How many questions wait in the consent window. */
  waitingQuestions: number;
  /** Calls a tool for a button. While it is under way the same place takes no second press. */
  act: <Name extends ToolName>(
    place: string,
    what: {
      readonly tool: Name;
      readonly input: ToolArguments<Name>;
      readonly name: string;
      readonly done: string;
    },
  ) => Promise<Answer<ToolOutput<Name>> | null>;
  putAway: (place: string) => void;
  showQuestion: () => void;
  followQuestions: () => () => void;
};

export const actionsSlice: Slice<ActionsSlice> = (set, get, deps) => {
  const put = (place: string, state: ActionState) =>
    set(({ actions }) => ({ actions: { ...actions, [place]: state } }));
  return {
    actions: {},
    waitingQuestions: 0,
    async act(place, { tool, input, name, done }) {
      if (get().actions[place]?.phase === "under_way") return null;
      put(place, { phase: "under_way", what: name });
      const answer = await deps.call(tool, input);
      if (answer.ok) put(place, { phase: "done", note: done });
      else put(place, { phase: "not_done", what: name, error: answer.error });
      return answer;
    },
    putAway(place) {
      set(({ actions }) => {
        const { [place]: _away, ...rest } = actions;
        return { actions: rest };
      });
    },
    showQuestion() {
      // The window that asks is main's; if it cannot be shown, the count in the title bar stays.
      deps.door.request("questions:show", {}).then(
        ({ waiting }) => set({ waitingQuestions: waiting }),
        () => {},
      );
    },
    followQuestions() {
      return deps.door.listen("questions:waiting", ({ waiting }) => set({ waitingQuestions: waiting }));
    },
  };
};
