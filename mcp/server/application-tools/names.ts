import { createHash } from "node:crypto";

/** What every model's interface takes as a tool's name. */
const PUBLISHED = /^[a-zA-Z0-9_-]{1,64}$/;
/** What an application may call a tool: `agent.tool`. */
const DECLARED = /^[a-zA-Z0-9_-]+(\.[a-zA-Z0-9_-]+)*$/;
const MAX_DECLARED_CHARS = 128;
const HASH_CHARS = 8;

export const isLegalName = (name: string): boolean =>
  name.length <= MAX_DECLARED_CHARS && DECLARED.test(name);

/**
 * The names under which declared tools are published: `agent.tool` as `agent_tool`. A name that would collide, is too long,
 * or could pass for one of ours gets a part that is made from the whole declared name, so that a tool keeps its published
 * name whatever is declared beside it later, except where two collide.
 */
export function publishedNames(declared: readonly string[]): ReadonlyMap<string, string> {
  const plain = new Map(declared.map((name) => [name, name.replaceAll(".", "_")]));
  const uses = new Map<string, number>();
  for (const name of plain.values()) uses.set(name, (uses.get(name) ?? 0) + 1);
  return new Map(
    [...plain].map(([name, short]) => {
      const isFree = uses.get(short) === 1 && PUBLISHED.test(short) && !isReserved(short);
      return [name, isFree ? short : withHash(short, name)];
    }),
  );
}

const isReserved = (name: string): boolean => /^(ironflow|ironbridge)[_-]/i.test(name);

function withHash(short: string, whole: string): string {
  const hash = createHash("sha256").update(whole).digest("hex").slice(0, HASH_CHARS);
  return `app_${short}`.slice(0, 64 - 1 - HASH_CHARS) + `_${hash}`;
}
