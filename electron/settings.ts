import * as z from "zod/v4";
import { Theme, TimeZoneChoice, type Settings } from "./contract/ipc.ts";
import { ExtraPermissions } from "./contract/tokens.ts";
import { openProfileFile } from "./profile-file.ts";

const Bounds = z.object({
  x: z.number().int(),
  y: z.number().int(),
  width: z.number().int().min(200),
  height: z.number().int().min(200),
});
export type Bounds = z.infer<typeof Bounds>;

/** Whether the person, and agents, may change things on a connection. */
const Writes = z.object({ person: z.boolean().optional(), agents: z.boolean().optional() });
export type Writes = z.infer<typeof Writes>;

/** What is kept between two lives of the app. The person's own choices are the contract's `Settings`. */
const Stored = z.object({
  version: z.literal(1),
  theme: Theme,
  time_zone: TimeZoneChoice,
  /** The endpoint's port: kept, because agents' configurations name it. */
  mcp_port: z.number().int().min(1).max(65_535).optional(),
  /** May only shorten the time a question waits, in seconds. */
  question_expires_s: z.number().int().min(5).max(300).optional(),
  /** Who may change things on which connection, where the person has decided; see `writesKey`. */
  writes: z.record(z.string(), Writes).optional(),
  window: Bounds.optional(),
  /** By tool: the permission that it needs beside its own. */
  tool_permissions: ExtraPermissions.optional(),
  /** When the person stopped everything that agents do, until they lift it. */
  stopped_since: z.string().optional(),
  /** What this file lost of the permissions of single tools, until the person says that they are complete again. */
  permissions_lost: z.object({ at: z.string(), problem: z.string() }).optional(),
});
type Stored = z.infer<typeof Stored>;

export interface SettingsStore {
  readonly choices: Settings;
  readonly stored: Readonly<Stored>;
  /** Set when not all of the file could be understood: what was wrong, what that costs and where it is kept. */
  readonly problem: string | undefined;
  change(part: { [K in keyof Omit<Stored, "version">]?: Stored[K] | undefined }): Settings;
}

/** How long a question may wait, in ms, where the person wants it shorter. */
export function questionExpiry(settings: SettingsStore): number | undefined {
  const seconds = settings.stored.question_expires_s;
  return seconds === undefined ? undefined : seconds * 1_000;
}

export function openSettings(path: string, now: () => Date = () => new Date()): SettingsStore {
  const file = openProfileFile<Stored>(path, {
    schema: Stored,
    start: { version: 1, theme: "system", time_zone: "local" },
    lost: {
      all: "the defaults are used, and what could have been forbidden is",
      some: "the defaults are used for these, and what they could have forbidden is; the rest is as it was",
    },
    afterLoss: (value, lost, problem) => closed(value, lost, { at: now().toISOString(), problem }),
    now: now(),
  });
  const choices = (): Settings => ({ theme: file.value.theme, time_zone: file.value.time_zone });
  return {
    get choices() {
      return choices();
    },
    get stored() {
      return file.value;
    },
    problem: file.problem,
    change(part) {
      file.save(Stored.parse({ ...file.value, ...part }));
      return choices();
    },
  };
}

/** Nothing is allowed that a lost value may have forbidden; the person gives each back where the app asks them. */
function closed(
  value: Stored,
  lost: { has(field: keyof Stored): boolean },
  loss: { at: string; problem: string },
): Stored {
  const permissions = lost.has("tool_permissions") || lost.has("permissions_lost");
  const embedded = value.writes?.["embedded"];
  return {
    ...value,
    ...(lost.has("stopped_since") ? { stopped_since: loss.at } : {}),
    ...(permissions ? { permissions_lost: loss } : {}),
    // By default the person may change things on the embedded engine; everywhere else nobody may.
    ...(lost.has("writes")
      ? { writes: { ...value.writes, embedded: { ...embedded, person: embedded?.person ?? false } } }
      : {}),
  };
}
