/**
 * The name inside a memoization id `{run_id}:{escaped name}:{n}`: backslash and colon are escaped with a backslash.
 * A branch scope in front of the name (`parallel name:index:`) is left away. Undefined when the id is not of that form.
 */
export function stepNameOf(stepId: string, runId: string): string | undefined {
  if (!stepId.startsWith(`${runId}:`)) return undefined;
  const parts = stepId
    .slice(runId.length + 1)
    .match(/(?:\\.|[^:\\])+/g)
    ?.map((part) => part.replace(/\\(.)/g, "$1"));
  if (parts === undefined || parts.length < 2 || !/^\d+$/.test(parts.at(-1) ?? "")) return undefined;
  const name = parts.at(-2) ?? "";
  const prefix = parts.at(-3);
  return prefix === "compensate" || prefix === "publish" ? `${prefix}:${name}` : name;
}
