import type { Core } from "../core.ts";
import type { Store } from "../store/store.ts";
import type { Tx } from "../store/writer.ts";

/** Rows of the store that bring something about when their time comes. */
export interface DueSource<Row> {
  name: string;
  /** The rows whose time comes first, due or not. */
  earliest(store: Store, limit: number): Row[];
  /** The row as it is now; undefined when it is gone. */
  reread(store: Store, row: Row): Row | undefined;
  /** Ms since 1970. */
  dueAt(row: Row): number;
  /** Tells the row from all others of its source. */
  key(row: Row): string;
  /** Does what is due, and removes the row or moves its time. */
  fire(core: Core, tx: Tx, row: Row): void;
  /** One firing does a part of what is due, and leaves the rest due. */
  inParts?: true;
  /** Says where a person looks that a row could not be fired; beside the log. */
  record?(core: Core, tx: Tx, row: Row, reason: string): void;
}
