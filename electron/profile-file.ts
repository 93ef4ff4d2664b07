import { copyFileSync } from "node:fs";
import * as z from "zod/v4";
import { systemReason } from "../loopback/system-reason.ts";
import { asideOf, readFileIfThere, writeFileAtomic } from "./atomic-file.ts";
import { salvage } from "./salvage.ts";
import { StartProblem } from "./start-problem.ts";

export interface ProfileFileOptions<T extends { version: number }> {
  /** Parsed field by field where the whole does not fit: one bad value does not cost the others. */
  readonly schema: z.ZodObject & z.ZodType<T>;
  /** What it holds when there is no file; also where a field takes its value from that could not be read. */
  readonly start: T;
  /** What it means when the file, or a part of it, is of no use: the ends of two sentences. */
  readonly lost: { readonly all: string; readonly some: string };
  /**
   * Where a lost value may have forbidden something: what the rest becomes, so that nothing is allowed by the loss. It is
   * on disk before the file is used.
   * @param lost the fields of which something was lost; every one when none could be read
   */
  readonly afterLoss?: (value: T, lost: { has(field: string): boolean }, problem: string) => T;
  readonly now?: Date;
}

export interface ProfileFile<T> {
  /** What the file held, as far as it could be understood. */
  readonly value: T;
  /** Set when not all of the file could be understood: what was wrong, what it costs, where it is kept. */
  readonly problem: string | undefined;
  /** A newer version of the app wrote it: nothing is written there, what is saved is kept until the end only. */
  readonly isNewer: boolean;
  /** Replaces the value, on disk first. */
  save(value: T): void;
}

/**
 * One JSON file of the profile: parsed by a schema when it is opened, written as a whole. What cannot be understood is
 * kept aside and named, never lost; the file of a newer version is not touched.
 * @throws StartProblem when there is something in the file's place that cannot be read
 */
export function openProfileFile<T extends { version: number }>(
  path: string,
  options: ProfileFileOptions<T>,
): ProfileFile<T> {
  const { schema, start, lost, afterLoss = (value: T) => value, now = new Date() } = options;
  const read = understand(textOf(path), schema, start);
  let { value } = read;
  const write = () => writeFileAtomic(path, `${JSON.stringify(value, null, 2)}\n`);

  function explain(): string | undefined {
    const kept = asideOf(path, now);
    switch (read.kind) {
      case "whole":
        return undefined;
      case "broken":
        return `${path} could not be read (${read.wrong}): ${lost.all}. It is kept as ${kept}.`;
      case "newer":
        return `${path} was written by a newer version of the app (version ${read.version} of the file; this one knows ${start.version}): it is left as it is, ${lost.all}, and what is changed now is forgotten at the end.`;
      case "part":
        return `${path} could not be read in part (${read.wrong.join("; ")}): ${lost.some}. As it was it is kept as ${kept}.`;
    }
  }

  const problem = explain();
  if (problem !== undefined) {
    value = schema.parse(afterLoss(value, read.kind === "part" ? read.lost : EVERY_FIELD, problem));
    if (read.kind !== "newer") {
      // Kept first, and never without a file: a start in between finds the damaged one again, not an empty place.
      copyFileSync(path, asideOf(path, now));
      write();
    }
  }

  return {
    problem,
    isNewer: read.kind === "newer",
    get value() {
      return value;
    },
    save(next) {
      const before = value;
      value = schema.parse(next);
      if (read.kind === "newer") return;
      try {
        write();
      } catch (cause) {
        value = before;
        throw cause;
      }
    },
  };
}

function textOf(path: string): string | undefined {
  try {
    return readFileIfThere(path);
  } catch (cause) {
    throw new StartProblem(
      `${path} cannot be read (${systemReason(cause)}); move it away, or choose another folder with --user-data-dir=DIR.`,
      { cause },
    );
  }
}

const EVERY_FIELD = { has: () => true };

type Read<T> =
  | { readonly kind: "whole"; readonly value: T }
  | {
      readonly kind: "part";
      readonly value: T;
      readonly wrong: readonly string[];
      readonly lost: ReadonlySet<string>;
    }
  | { readonly kind: "broken"; readonly value: T; readonly wrong: string }
  | { readonly kind: "newer"; readonly value: T; readonly version: number };

const AnyObject = z.record(z.string(), z.unknown());

function understand<T extends { version: number }>(
  text: string | undefined,
  schema: ProfileFileOptions<T>["schema"],
  start: T,
): Read<T> {
  if (text === undefined) return { kind: "whole", value: start };
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { kind: "broken", value: start, wrong: "it is not JSON" };
  }
  const parsed = AnyObject.safeParse(json);
  if (!parsed.success) return { kind: "broken", value: start, wrong: "it is not a JSON object" };
  const { version } = parsed.data;
  if (typeof version === "number" && version > start.version) return { kind: "newer", value: start, version };
  const whole = schema.safeParse(parsed.data);
  if (whole.success) return { kind: "whole", value: whole.data };
  const { fields, wrong, lost } = salvage(schema, parsed.data, start);
  const some = schema.safeParse(fields);
  if (some.success) return { kind: "part", value: some.data, wrong, lost };
  return { kind: "broken", value: start, wrong: wrong.join("; ") };
}
