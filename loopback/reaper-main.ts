import { rmSync } from "node:fs";
import { endProcesses, operatingSystem, type LadderStep } from "./end-processes.ts";
import { SESSION_MARKER } from "./environment.ts";
import { readLines } from "./lines.ts";
import { renewClaims, type Claim } from "./ownership.ts";
import { bootId, listProcesses, nowOrder, readProcess } from "./processes.ts";
import {
  MAX_LINE_CHARS,
  MAX_RECORDS,
  parseRequest,
  requestNumber,
  writeRecordFile,
  type ReaperConfig,
  type ReaperReply,
  type ReaperRequest,
} from "./reaper-records.ts";

/*
 * The reaper: a process that does nothing until the pipe that is its stdin closes, which the system does for everybody, however
 * they died. Then it ends what its owner has started and goes. See reaper.ts for the other end.
 */

/** Together well under the 2 s within which nothing may be left. */
const STEPS: readonly LadderStep[] = [
  { signal: "SIGTERM", waitMs: 300 },
  { signal: "SIGKILL", waitMs: 1_200 },
];
/** How often records are compared with the system; see `Claim.knownAt`. A list costs a process outside Linux, so less often. */
const RENEW_EVERY_MS = process.platform === "linux" ? 1_000 : 10_000;

let config: ReaperConfig | undefined;
let claims: Claim[] = [];
/** Requests are answered in the order in which they came. */
let work: Promise<void> = Promise.resolve();

// Whoever tells every process of a terminal, a group or a user to go does not mean the one that has to clean up after them.
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"] as const)
  process.on(signal, () => {
    // ignored
  });
for (const stream of [process.stdout, process.stderr])
  stream.on("error", () => {
    // The owner is gone: nobody reads, and there is work to do.
  });

/**
 * Everything is said and done. What is left is to let the event loop run dry and to take the runtime down. In either
 * Electron's hung once in 100 times, for ever: a process that ends itself this way cannot.
 */
const leave = () => process.kill(process.pid, "SIGKILL");
process.once("exit", leave);

readLines(process.stdin, MAX_LINE_CHARS, (line) => {
  work = work.then(() => answer(line)).catch(complain);
});
let ending = false;
const onClosed = () => {
  if (ending) return;
  ending = true;
  work = work
    .then(end)
    .catch(complain)
    .then(() => void process.stdout.write("", leave));
};
process.stdin.once("end", onClosed);
process.stdin.once("close", onClosed);
process.stdin.once("error", onClosed);

const renewing = setInterval(() => {
  if (claims.length > 0 && !ending) work = work.then(renew).catch(complain);
}, RENEW_EVERY_MS);

async function answer(line: string | undefined): Promise<void> {
  try {
    if (line === undefined) throw new Error(`line is over ${MAX_LINE_CHARS} characters`);
    say(await handle(parseRequest(line)));
  } catch (error) {
    say({
      n: requestNumber(line ?? ""),
      ok: false,
      why: error instanceof Error ? error.message : String(error),
    });
  }
}

async function handle(request: ReaperRequest): Promise<ReaperReply> {
  const { n } = request;
  if ("config" in request) {
    if (config !== undefined) throw new Error("config was given already");
    // Written at once: also without a record, the marker tells the next start what is left of this life.
    save(request.config);
    config = request.config;
    return { n, ok: true };
  }
  if (config === undefined) throw new Error("config comes first");
  if ("remove" in request) {
    claims = claims.filter((claim) => claim.pid !== request.remove);
  } else {
    const at = nowOrder();
    const row = await readProcess(request.add.pid);
    if (row?.startTime !== request.add.startTime) return { n, ok: true, held: false };
    const others = claims.filter((claim) => claim.pid !== row.pid);
    if (others.length >= MAX_RECORDS) throw new Error(`more than ${MAX_RECORDS} records`);
    claims = [...others, { ...request.add, knownAt: at }];
  }
  trySave(config);
  return { n, ok: true, ...("add" in request ? { held: true } : {}) };
}

async function renew(): Promise<void> {
  const before = claims.length;
  const at = nowOrder();
  claims = renewClaims(await leadersOrAll(), claims, at);
  if (config !== undefined && claims.length !== before) trySave(config);
}

/** The leaders' rows do as long as all of them live, which is nearly always; only then is it worth to read every process. */
async function leadersOrAll() {
  if (process.platform === "linux") {
    const rows = await Promise.all(claims.map((claim) => readProcess(claim.pid)));
    const leaders = rows.filter((row, at) => row?.startTime === claims[at]?.startTime);
    if (leaders.length === claims.length) return leaders.flatMap((row) => row ?? []);
  }
  return listProcesses();
}

async function end(): Promise<void> {
  clearInterval(renewing);
  // Without a config nothing was ever recorded or marked.
  if (config === undefined) return;
  const { session, owner, file } = config;
  const ownerRow = await operatingSystem.list().then((rows) => rows.find((row) => row.pid === owner.pid));
  const exclude = ownerRow?.startTime === owner.startTime ? [owner.pid] : [];
  const report = await endProcesses({
    claims,
    marker: `${SESSION_MARKER}=${session}`,
    steps: STEPS,
    exclude: new Set(exclude),
  });
  if (report.survivors.length === 0) rmSync(file, { force: true });
  say({ ended: report.ended, survivors: report.survivors });
}

function save({ session, owner, file }: ReaperConfig): void {
  writeRecordFile(file, { version: 1, session, owner, boot: bootId(), processes: claims });
}

/** What counts is that we know the record; the file is for the case that we die as well. */
function trySave(to: ReaperConfig): void {
  try {
    save(to);
  } catch (error) {
    complain(error);
  }
}

function say(reply: ReaperReply): void {
  process.stdout.write(`${JSON.stringify(reply)}\n`);
}

function complain(error: unknown): void {
  process.stderr.write(`reaper: ${String(error)}\n`);
}
