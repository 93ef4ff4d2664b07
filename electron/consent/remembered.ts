import { randomUUID } from "node:crypto";
import * as z from "zod/v4";
import type { RememberedAnswer } from "../contract/tokens.ts";
import { openProfileFile } from "../profile-file.ts";

/** More would be answers nobody remembers giving. */
export const MAX_REMEMBERED = 500;

const Stored = z.object({
  id: z.string(),
  caller: z.string(),
  /** Hash of the token: one that is made again under the same name begins without. */
  token_id: z.string(),
  tool: z.string(),
  engine: z.string(),
  since: z.string(),
});
const File = z.object({ version: z.literal(1), answers: z.array(Stored).max(MAX_REMEMBERED) });

/** What a remembered answer is about. */
export interface Subject {
  readonly caller: string;
  readonly tokenId: string;
  readonly tool: string;
  /** `embedded`, or the engine's address: another engine is another matter. */
  readonly engine: string;
}

export interface Remembered {
  readonly problem: string | undefined;
  list(): RememberedAnswer[];
  has(subject: Subject): boolean;
  add(subject: Subject): void;
  /** True when there was one. From now on it is asked again. */
  forget(id: string): boolean;
  /** Takes away those about an engine that is removed. */
  forgetEngine(engine: string): void;
  /** Takes away those of tokens that are no more. */
  forgetTokens(lives: (tokenId: string) => boolean): void;
}

/** Answers that the person gave once and for all, until they take them back. */
export function openRemembered(
  path: string,
  now: () => Date,
  onChanged: (answers: RememberedAnswer[]) => void = () => {},
): Remembered {
  const file = openProfileFile<z.infer<typeof File>>(path, {
    schema: File,
    start: { version: 1, answers: [] },
    lost: {
      all: "what was remembered is asked again",
      some: "these are asked again, the others are remembered",
    },
  });
  const list = () => file.value.answers.map(withoutToken);
  const save = (answers: z.infer<typeof Stored>[]) => {
    file.save({ version: 1, answers });
    onChanged(list());
  };
  const find = ({ tokenId, tool, engine }: Subject) =>
    file.value.answers.some(
      (answer) => answer.token_id === tokenId && answer.tool === tool && answer.engine === engine,
    );
  const keep = (which: (answer: z.infer<typeof Stored>) => boolean) => {
    const left = file.value.answers.filter(which);
    if (left.length === file.value.answers.length) return false;
    save(left);
    return true;
  };
  return {
    problem: file.problem,
    list,
    has: find,
    add(subject) {
      if (find(subject)) return;
      const { caller, tokenId, tool, engine } = subject;
      const since = now().toISOString();
      // The oldest makes way: then it is asked again, which is the safe side.
      const kept = file.value.answers.slice(-(MAX_REMEMBERED - 1));
      save([...kept, { id: randomUUID(), caller, token_id: tokenId, tool, engine, since }]);
    },
    forget: (id) => keep((answer) => answer.id !== id),
    forgetEngine(engine) {
      keep((answer) => answer.engine !== engine);
    },
    forgetTokens(lives) {
      keep((answer) => lives(answer.token_id));
    },
  };
}

function withoutToken(answer: z.infer<typeof Stored>): RememberedAnswer {
  const { token_id: _, ...shown } = answer;
  return shown;
}
