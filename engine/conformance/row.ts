import type { Target } from "./target.ts";

/** How sure the contract is of a row (its section 0.1). `I` and `U` rows say what the embedded engine decided. */
export type Mark = "S" | "G" | "R" | "D" | "K" | "M" | "P" | "I" | "U";

/** One row of the contract: what a client may rely on, and how to see that it holds. */
export interface Row {
  /** Section of the contract and a name: `2.2.list-runs`. */
  id: string;
  mark: Mark;
  /** A sentence about behaviour. */
  title: string;
  /** Rejects when the row does not hold; with NotOffered when the server has no such route, method or option. */
  check(target: Target): Promise<void>;
}

/** The server says that it does not do this at all. */
export class NotOffered extends Error {
  override readonly name = "NotOffered";
}

export type Outcome =
  | { kind: "pass" }
  | { kind: "fail"; reason: string }
  | { kind: "not offered"; reason: string };

/** The longest a row may take, ms. */
export const ROW_DEADLINE_MS = 150_000;

export async function runRow(row: Row, target: Target): Promise<Outcome> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`took over ${ROW_DEADLINE_MS} ms`)), ROW_DEADLINE_MS);
  });
  try {
    await Promise.race([row.check(target), late]);
    return { kind: "pass" };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return error instanceof NotOffered ? { kind: "not offered", reason } : { kind: "fail", reason };
  } finally {
    clearTimeout(timer);
  }
}
