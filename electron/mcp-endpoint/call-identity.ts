import { randomUUID } from "node:crypto";
import type { ToolRow } from "../../mcp/contract/tool-row.ts";
import { canonicalJson, CanonicalError } from "../consent/canonical.ts";
import type { Subject } from "../consent/remembered.ts";
import { writesKey } from "../handlers/writes.ts";
import type { EngineLink } from "../hub/engine-link.ts";
import { isApplicationRow } from "./application-rows.ts";
import { auditUser, type Caller } from "./permissions.ts";

/** Who called what, and where. */
interface Identity {
  readonly caller: Caller;
  readonly tokenId?: string | undefined;
  readonly connection: string;
  readonly tool: string;
}

/** A key that is the same for the same caller's identical call, and for no other. */
export function keyOf(call: Identity, args: Record<string, unknown>, row: ToolRow | undefined): string {
  const declared = row !== undefined && isApplicationRow(row) ? row.application.fingerprint : "";
  const { caller, tokenId = "", connection, tool } = call;
  try {
    return canonicalJson([auditUser(caller), tokenId, connection, tool, declared, args]);
  } catch (cause) {
    if (cause instanceof CanonicalError) return randomUUID(); // it is refused before anybody is asked
    throw cause;
  }
}

/** What an answer may be remembered for; undefined where it may not. */
export function subjectOf(call: Identity, link: Pick<EngineLink, "meta">, row: ToolRow): Subject | undefined {
  if (row.risk !== "destructive" || call.caller.kind !== "token" || call.tokenId === undefined)
    return undefined;
  return {
    caller: call.caller.name,
    tokenId: call.tokenId,
    tool: rememberedName(row),
    engine: writesKey(link.meta),
  };
}

/** An application's tool goes by the name that its application gave it: the published one may become another's. */
const rememberedName = (row: ToolRow): string =>
  isApplicationRow(row) ? `application tool ${row.application.declaredName}` : row.name;
