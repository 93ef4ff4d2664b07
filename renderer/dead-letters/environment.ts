import type { Answer } from "../store/answer.ts";
import type { Call } from "../store/deps.ts";

/** What an engine calls the environment that it makes by itself. */
const DEFAULT_ENVIRONMENT = "env_default";

/**
 * The environment whose dead letters are shown. A key belongs to one environment, and an engine lists what the key sees:
 * usually one. Where there are more, the default one is taken; an engine that lists none has only that.
 */
export async function environmentOf(call: Call): Promise<Answer<string>> {
  const answer = await call("ironflow_list_environments", {});
  if (!answer.ok) return answer;
  const ids = answer.data.items.map(({ id }) => id);
  const [first] = ids;
  if (first === undefined || ids.includes(DEFAULT_ENVIRONMENT))
    return { ok: true, data: DEFAULT_ENVIRONMENT };
  return { ok: true, data: first };
}
