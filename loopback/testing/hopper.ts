import { readFileSync } from "node:fs";
import { poll } from "./poll.ts";

/** A heart that beats on is seen within this. */
const BEAT_WITHIN_MS = 400;

/**
 * A shell command for a process deaf to INT, TERM and HUP that forks, ends its old self, leaves its session, writes its
 * number into the file, waits, and does so again: it has another number all the time. It ends by itself after 25 s, so that
 * a test that fails leaves nothing behind.
 */
export function hopper(file: string, hopMs: number): string {
  return `perl -e '
    use POSIX "setsid";
    $SIG{$_} = "IGNORE" for qw(INT TERM HUP);
    $end = time + 25;
    while (time < $end) {
      POSIX::_exit(0) if fork;
      setsid;
      open F, ">", "${file}"; print F "$$\\n"; close F;
      ${hopMs > 0 ? `select undef, undef, undef, ${hopMs / 1_000};` : ""}
    }'`;
}

const beat = (file: string): string => {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
};

/** Waits until it hops. @throws when it does not */
export async function hops(file: string): Promise<void> {
  const before = await poll("a first beat", () => beat(file) || undefined);
  await poll("another beat", () => beat(file) !== before && beat(file) !== "");
}

/** Does it hop on? */
export async function stillHops(file: string): Promise<boolean> {
  const before = beat(file);
  return poll("another beat", () => beat(file) !== before, BEAT_WITHIN_MS).then(
    () => true,
    () => false,
  );
}
