import type { FunctionRecord } from "../../mcp/contract/domain.ts";

type Trigger = FunctionRecord["triggers"][number];

/** `order.placed`, `order.placed if data.total > 10`, `cron 0 * * * *`. */
export function triggerText({ event, expression, cron }: Trigger): string {
  if (cron !== undefined && cron !== "") return `cron ${cron}`;
  const name = event === undefined || event === "" ? "any event" : event;
  return expression === undefined || expression === "" ? name : `${name} if ${expression}`;
}
