import type { ToolRow } from "../contract/tool-row.ts";
import { TOOLS } from "../contract/tools.ts";
import type { ServerOptions } from "./flags.ts";

/** What decides which rows there are. */
export type Modes = Pick<ServerOptions, "allowWrites" | "app"> & {
  readonly terminal: object | undefined;
  readonly evidence: object | undefined;
};

/** Whether a server started like this offers the row. */
export function isOffered(row: ToolRow, modes: Modes): boolean {
  if (row.for === "app" && !modes.app) return false;
  switch (row.mode) {
    case "read":
      return true;
    case "write":
      return modes.allowWrites;
    case "evidence":
      return modes.allowWrites && modes.evidence !== undefined;
    case "terminal":
      return modes.allowWrites && modes.terminal !== undefined;
    default:
      return assertNever(row.mode);
  }
}

function assertNever(value: never): never {
  throw new TypeError(`there is no case for ${String(value)}`);
}

export const offeredRows = (modes: Modes): readonly ToolRow[] =>
  TOOLS.filter((row: ToolRow) => isOffered(row, modes));
