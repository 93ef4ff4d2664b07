import { systemClock } from "../../loopback/clock.ts";
import { ENDED_STATUSES, OutputQuery } from "../contract/api.ts";
import type { Sessions } from "../sessions.ts";
import { runSoak, say } from "./with-sessions.ts";

/**
 * Runs programs that print so many bytes and exit at once, six at a time, and compares every byte and exit code.
 * `node bridge/soak/run.mjs [runs]`, default 1,000 of each size. Exits with 1 at the first difference.
 */
const SIZES_BYTES = [0, 1, 4_096, 65_536, 1_048_576];
const AT_ONCE = 6;
const READ_BYTES = 1_048_576;
const never = new AbortController().signal;

const runs = Number(process.argv[2] ?? 1_000);
if (!Number.isSafeInteger(runs) || runs < 1) throw new RangeError("runs must be a whole number above 0");

/** Numbered lines of 16 bytes, so that a lost or moved part shows where. */
function wantedOutput(bytes: number): string {
  let text = "";
  for (let line = 0; text.length < bytes; line += 1) text += `${String(line).padStart(14, "0")}\r\n`;
  return text.slice(0, bytes);
}

function hideTab(sessions: Sessions, id: string): void {
  sessions.attach(id, {
    post: () => {},
    onMessage: (listener) => {
      listener({ type: "visible", visible: false });
    },
    onClose: () => {},
    close: () => {},
  });
}

async function once(sessions: Sessions, bytes: number, wanted: string, exitCode: number): Promise<void> {
  const print = `my $s = ""; my $i = 0; while (length($s) < ${bytes}) { $s .= sprintf("%014d\\r\\n", $i++) } $| = 1; print substr($s, 0, ${bytes}); exit ${exitCode}`;
  const command = `stty -onlcr; exec perl -e '${print}'`;
  const { session_id } = await sessions.run({ command, agent: "soak", cwd: "/" });
  // Every second run has a tab that is hidden, the others one that was never opened: neither may matter.
  if (exitCode % 2 === 1) hideTab(sessions, session_id);
  const read = (offset: number, limit: number) =>
    sessions.answer(session_id, OutputQuery.parse({ offset, limit }), never);
  while (!ENDED_STATUSES.includes((await read(0, 4))?.status ?? "failed_to_start"))
    await systemClock.sleep(2);
  let output = "";
  for (let offset = 0, more = true; more;) {
    const part = await read(offset, READ_BYTES);
    if (part === undefined) throw new Error("the session is gone");
    if (part.exit_code !== exitCode)
      throw new Error(`exit ${part.exit_code} (${part.status}), not ${exitCode}`);
    output += part.output;
    offset = part.next;
    more = part.has_more;
  }
  if (output !== wanted) throw new Error(`${output.length} of ${bytes} bytes, or in another order`);
}

runSoak(async (sessions) => {
  for (const bytes of SIZES_BYTES) {
    const wanted = wantedOutput(bytes);
    const beginMs = systemClock.nowMs();
    let next = 0;
    const worker = async () => {
      for (let run = next++; run < runs; run = next++) await once(sessions, bytes, wanted, run % 256);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    const tookMs = Math.round(systemClock.nowMs() - beginMs);
    say(`${bytes} bytes: ${runs} runs, none lost, every exit code exact, ${tookMs} ms`);
  }
});
