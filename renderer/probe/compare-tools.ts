import type { ProbeTool, ProbeView } from "../../electron/contract/probe.ts";

/** One tool as both eras list it, side by side. */
export type ComparedTool = {
  readonly name: string;
  readonly title: string;
  /** As each view lists it, in their order; null where it does not. */
  readonly seen: readonly (ProbeTool | null)[];
  /** Names of what is not the same; empty where the eras agree. */
  readonly differs: readonly string[];
};

/** All tools of all views, in the order of the first that lists them. */
export function compareTools(views: readonly ProbeView[]): readonly ComparedTool[] {
  const names = new Set(views.flatMap(({ tools }) => tools.map(({ name }) => name)));
  return [...names].map((name) => {
    const seen = views.map(({ tools }) => tools.find((tool) => tool.name === name) ?? null);
    const first = seen.find((tool) => tool !== null);
    return { name, title: first?.title ?? name, seen, differs: differences(seen) };
  });
}

function differences(seen: readonly (ProbeTool | null)[]): readonly string[] {
  if (seen.includes(null)) return ["not in every era"];
  const keys = new Set(seen.flatMap((tool) => Object.keys(tool ?? {})));
  return [...keys].filter((key) => new Set(seen.map((tool) => stable(tool?.[key]))).size > 1);
}

/** JSON with the names in one order. */
function stable(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(stable).join()}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "absent";
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${stable(member)}`).join()}}`;
}
