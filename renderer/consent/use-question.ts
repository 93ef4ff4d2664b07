import { useEffect, useState } from "react";
import type { Question } from "../../electron/contract/consent.ts";
import type { ConsentDoor } from "../window.ts";

export type Asked =
  | { readonly state: "loading" }
  | { readonly state: "failed"; readonly reason: string }
  | { readonly state: "asked"; readonly question: Question | null };

/** The question on top, as main tells it. */
export function useQuestion(door: ConsentDoor): Asked {
  const [asked, setAsked] = useState<Asked>({ state: "loading" });
  useEffect(() => {
    let told = false;
    const stop = door.listen("consent:question", (question) => {
      told = true;
      setAsked({ state: "asked", question });
    });
    door.request("consent:current", {}).then(
      // What was told since is newer than this answer.
      (question) => told || setAsked({ state: "asked", question }),
      (error: unknown) => setAsked({ state: "failed", reason: String(error) }),
    );
    return () => {
      told = true;
      stop();
    };
  }, [door]);
  return asked;
}
