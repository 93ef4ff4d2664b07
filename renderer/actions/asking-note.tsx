import type { ReactNode } from "react";
import type { ToolError } from "../../mcp/contract/errors.ts";
import { Button } from "../ui/button.tsx";
import { Callout } from "../ui/callout.tsx";
import { useApp } from "../ui/use-app.ts";
import { outcomeOf } from "./outcome.ts";

/** In a form whose change may ask in the window that asks: that it waits, with the way to the question, and what came of it. */
export function AskingNote(props: { asking: boolean; children: ReactNode }) {
  const waiting = useApp((state) => state.waitingQuestions);
  const showQuestion = useApp((state) => state.showQuestion);
  return (
    <div role="status">
      {props.asking && waiting > 0 && (
        <Callout tone="info" title="It waits for your approval.">
          <Button onClick={showQuestion}>Show the question</Button>
        </Callout>
      )}
      {props.children}
    </div>
  );
}

/**
 * Why a change was not made; nothing without an error. `what` is the change in words, as "Add the engine"; `unchanged` is
 * said when a person did not approve it.
 */
export function RefusalNote(props: { what: string; error: ToolError | null; unchanged?: string }) {
  if (props.error === null) return null;
  const { tone, title, detail } = outcomeOf({ phase: "not_done", what: props.what, error: props.error });
  const isBad = tone === "bad";
  return (
    <Callout tone={isBad ? "bad" : "info"} title={title}>
      <p>{isBad ? detail : (props.unchanged ?? detail)}</p>
    </Callout>
  );
}
