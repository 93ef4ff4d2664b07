import * as z from "zod/v4";
import { Environment, Project, Worker } from "../domain.ts";
import { READ_ROW, toolRow } from "../tool-row.ts";

export const Projects = z.looseObject({ items: z.array(Project) });
export type Projects = z.infer<typeof Projects>;

export const Environments = z.looseObject({ items: z.array(Environment) });
export type Environments = z.infer<typeof Environments>;

export const Workers = z.looseObject({ workers: z.array(Worker), count: z.number().int() });
export type Workers = z.infer<typeof Workers>;

export const DIRECTORY_ROWS = [
  toolRow({
    ...READ_ROW,
    name: "ironflow_list_projects",
    title: "List projects",
    description:
      "Lists the projects that the API key in use can see. A project holds environments; runs, events and functions live in an environment. Returns an array of id, name and times (structuredContent wraps it as items).",
    input: z.strictObject({}),
    output: Projects,
    bareArray: true,
  }),
  toolRow({
    ...READ_ROW,
    name: "ironflow_list_environments",
    title: "List environments",
    description:
      "Lists environments with their ids, which ironflow_dead_letter_list and others take as env. An API key belongs to one environment, and only its runs and events are seen by the other tools. Returns an array (structuredContent wraps it as items).",
    input: z.strictObject({
      project_id: z.string().min(1).max(256).optional().describe("Only environments of this project."),
    }),
    output: Environments,
    bareArray: true,
  }),
  toolRow({
    ...READ_ROW,
    name: "ironflow_list_workers",
    title: "List workers",
    description:
      "Lists the pull-mode workers that are connected now, with their functions, load and last heartbeat. Look here when runs of a pull function wait and nothing happens. Push functions have no worker: for those look at ironflow_circuit_breaker_list. Returns workers and count.",
    input: z.strictObject({}),
    output: Workers,
  }),
] as const;
