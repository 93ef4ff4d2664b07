import { Ban, Play, Trash2 } from "lucide-react";
import type { Run } from "../../mcp/contract/domain.ts";
import { useRefusal } from "../actions/use-refusal.ts";
import { Button } from "../ui/button.tsx";
import { useApp } from "../ui/use-app.ts";
import { verbsOf } from "./run-verbs.ts";

/** What is said once the engine has taken a resume. */
export const RESUMED = "Resumed. The run goes on.";

export const runPlace = (runId: string): string => `run ${runId}`;

/** What a person may do to a run. What cannot be taken back asks first, in its own window. */
export function RunActions({ run }: { run: Run }) {
  const act = useApp((state) => state.act);
  const place = runPlace(run.id);
  const refused = useRefusal(place);
  const input = { run_id: run.id };
  return (
    <>
      {verbsOf(run.status).map((verb) => {
        switch (verb) {
          case "resume":
            return (
              <Button
                key={verb}
                refused={refused}
                icon={<Play aria-hidden="true" size={14} />}
                onClick={() =>
                  void act(place, {
                    tool: "ironflow_resume_run",
                    input,
                    name: "Resume",
                    done: RESUMED,
                  })
                }
              >
                Resume
              </Button>
            );
          case "cancel":
            return (
              <Button
                key={verb}
                refused={refused}
                icon={<Ban aria-hidden="true" size={14} />}
                onClick={() =>
                  void act(place, {
                    tool: "ironflow_cancel_run",
                    input,
                    name: "Cancel the run",
                    done: "The run was cancelled.",
                  })
                }
              >
                Cancel run
              </Button>
            );
          case "delete":
            return (
              <Button
                key={verb}
                look="danger"
                refused={refused}
                icon={<Trash2 aria-hidden="true" size={14} />}
                onClick={() =>
                  void act(place, {
                    tool: "ironflow_delete_run",
                    input,
                    name: "Delete the run",
                    done: "The run was deleted.",
                  })
                }
              >
                Delete
              </Button>
            );
        }
        return null;
      })}
    </>
  );
}
