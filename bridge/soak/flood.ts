import { systemClock } from "../../loopback/clock.ts";
import { ENDED_STATUSES, OutputQuery } from "../contract/api.ts";
import type { Sessions } from "../sessions.ts";
import { runSoak, say } from "./with-sessions.ts";

/**
 * Floods: `yes` for a while, then one line of 600 MB. The bridge's memory must stay flat within 50 MB, Stop must work within
 * 500 ms, and the child must never block. `node bridge/soak/run.mjs flood [seconds]`, default 60.
 */
const LINE_BYTES = 600_000_000;
const FLAT_WITHIN_BYTES = 50 * 1024 * 1024;
const STOP_WITHIN_MS = 500;
const WARM_BYTES = 100 * 1024 * 1024;

const seconds = Number(process.argv[2] ?? 60);
if (!(seconds > 0)) throw new RangeError("seconds must be above 0");

async function flood(sessions: Sessions): Promise<void> {
  const { session_id: id } = await sessions.run({
    command: "yes",
    agent: "soak",
    cwd: "/",
    shell: "/bin/sh",
  });
  const bytes = () => sessions.list().find((row) => row.session_id === id)?.output_bytes ?? 0;
  // The log fills first; it is what comes after that must not grow.
  while (bytes() < WARM_BYTES) await systemClock.sleep(50);
  const base = process.memoryUsage().rss;
  let most = base;
  let slowest = Infinity;
  const endMs = systemClock.nowMs() + seconds * 1_000;
  for (let at = bytes(); systemClock.nowMs() < endMs; at = bytes()) {
    await systemClock.sleep(500);
    most = Math.max(most, process.memoryUsage().rss);
    slowest = Math.min(slowest, bytes() - at);
  }
  const beganMs = systemClock.nowMs();
  const { outcome = "none", alive = -1 } = (await sessions.stop(id)) ?? {};
  const stopMs = Math.round(systemClock.nowMs() - beganMs);
  say(
    `yes for ${seconds} s: ${bytes()} bytes, memory grew ${most - base} bytes, ${slowest} bytes in the slowest half second, Stop ${outcome} after ${stopMs} ms`,
  );
  if (most - base > FLAT_WITHIN_BYTES) throw new Error("memory is not flat");
  if (slowest <= 0) throw new Error("the child was blocked");
  if (alive !== 0 || stopMs > STOP_WITHIN_MS) throw new Error("Stop was too slow, or not confirmed");
}

async function line(sessions: Sessions): Promise<void> {
  const base = process.memoryUsage().rss;
  const command = `exec perl -e 'my $s = "x" x 65536; my $n = ${LINE_BYTES}; while ($n > 0) { my $w = syswrite(STDOUT, $s, $n < 65536 ? $n : 65536); $n -= $w }'`;
  const { session_id: id } = await sessions.run({ command, agent: "soak", cwd: "/", shell: "/bin/sh" });
  const row = () => sessions.list().find((one) => one.session_id === id);
  while (!ENDED_STATUSES.includes(row()?.status ?? "failed_to_start")) await systemClock.sleep(50);
  const { output_bytes: bytes = 0, exit_code: code } = row() ?? {};
  const query = OutputQuery.parse({ format: "text" });
  const text = await sessions.answer(id, query, new AbortController().signal);
  say(
    `one line of ${LINE_BYTES} bytes: ${bytes} bytes, exit ${code}, memory grew ${process.memoryUsage().rss - base} bytes, read as text: ${text?.output.length} characters`,
  );
  if (bytes !== LINE_BYTES || code !== 0) throw new Error("bytes are missing, or the program failed");
}

runSoak(async (sessions) => {
  await flood(sessions);
  await line(sessions);
});
