import type { ApplicationRow } from "../../mcp-endpoint/application-rows.ts";
import { shown } from "../visible.ts";
import type { Previewer } from "./read-target.ts";

/** What is asked about a tool of an application: nobody but the application knows what it reaches. */
export function applicationTool({ application, description }: ApplicationRow): Previewer {
  return async () => ({
    title: "Run a tool of an application",
    consequence:
      "Code of the application runs with these arguments. What it changes could not be read beforehand.",
    target: [shown("Tool", application.declaredName), shown("What the application says of it", description)],
    effects: ["The application's own code decides what happens; Ironbridge cannot undo it."],
    not_reached: [],
    watched: application.fingerprint,
  });
}
