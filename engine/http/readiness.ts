import type { Core } from "../core.ts";
import { messageOf } from "../errors.ts";

/** What keeps the engine from its work, by the part that is concerned; empty when nothing does. */
export async function readIssues(core: Core): Promise<Record<string, string>> {
  const issues: Record<string, string> = {};
  try {
    // Through the writer and onto the disk, as every change goes: it finds a full disk, a lock, and an engine that stops.
    await core.writer.write(() => core.store.touch());
  } catch (error) {
    core.log.warn({ err: error }, "not ready");
    issues["store"] = messageOf(error);
  }
  return issues;
}
