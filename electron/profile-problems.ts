import { logError } from "./log.ts";

/** What of the profile could not be read at this start. The person sees it in the window, whoever starts the app in its log. */
export interface ProfileProblems {
  readonly list: readonly string[];
  /** @param problem a sentence, where there is one */
  note(what: string, problem: string | undefined): void;
}

export function profileProblems(): ProfileProblems {
  const list: string[] = [];
  return {
    list,
    note(what, problem) {
      if (problem === undefined) return;
      list.push(problem);
      logError(what, problem);
    },
  };
}
