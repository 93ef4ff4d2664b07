import type { RunError } from "../contract/runs.ts";
import type { Core } from "../core.ts";
import { toJsonText } from "../json/json-text.ts";
import type { Tx } from "../store/writer.ts";
import { maskDeep, maskSecrets, type Mask } from "./mask.ts";
import { readableSecrets } from "./secrets.ts";

/** Whose secrets: a run is one. */
export interface SecretsOwner {
  environment_id: string;
  function_id: string;
}

const asItIs: Mask = (text) => text;

/** Made once for all texts of a change, and gone with it: no value outlives it in memory. */
const masks = new WeakMap<Tx, Map<string, Mask>>();

/** Keeps the secrets that a function has now out of a text that the engine stores. */
export function maskOf(core: Core, tx: Tx, owner: SecretsOwner): Mask {
  return masks.get(tx)?.get(keyOf(owner)) ?? knowSecrets(core, tx, owner, []);
}

/** In this change the values that a call was given are masked too: the function may have others by now. */
export function knowSecrets(core: Core, tx: Tx, owner: SecretsOwner, given: readonly string[]): Mask {
  const names = core.registry.get(owner.environment_id, owner.function_id)?.config.secrets ?? [];
  if (names.length + given.length === 0) return asItIs;
  // Read when the first text comes: most changes store no error.
  let made: Mask | undefined;
  const mask: Mask = (text) => {
    made ??= maskSecrets([...new Set([...given, ...readableSecrets(core, owner.environment_id, names)])]);
    return made(text);
  };
  const ofTx = masks.get(tx) ?? new Map<string, Mask>();
  masks.set(tx, ofTx.set(keyOf(owner), mask));
  return mask;
}

/** An error as it is stored. Whoever made its texts, the function or the engine: they repeat no secret. */
export function errorText(core: Core, tx: Tx, owner: SecretsOwner, error: RunError): string {
  const mask = maskOf(core, tx, owner);
  return toJsonText(mask === asItIs ? error : maskDeep(error, mask)).text;
}

const keyOf = ({ environment_id: environmentId, function_id: functionId }: SecretsOwner) =>
  `${environmentId}\n${functionId}`;
