import type { Core } from "../core.ts";
import type { Tx } from "../store/writer.ts";
import { encrypt, openSealed } from "./cipher.ts";

/**
 * Puts every encrypted value that an older key opens under the current one: secrets, those that agents' tools are called
 * with, and those that webhooks are signed with. What no key opens stays as it is. How many those are.
 */
export function rewrapSealed(core: Core, tx: Tx): number {
  const { sealed } = core.store;
  const { current } = core.secretsKeys;
  let lost = 0;
  for (const row of sealed.notUnder(current.id)) {
    const value = openSealed(core.secretsKeys, row);
    if (value === undefined) {
      lost += 1;
      continue;
    }
    tx.afterCommit(() => core.logEmptier.empty());
    core.store.db.erasing(() => sealed.put(row, encrypt(current, row, value)));
  }
  return lost;
}
