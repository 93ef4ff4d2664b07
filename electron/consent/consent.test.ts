import { beforeEach, describe, expect, it } from "vitest";
import { toolByName } from "../../mcp/contract/tools.ts";
import { EXPIRES_MS, INERT_MS } from "../contract/consent.ts";
import type { Caller } from "../mcp-endpoint/permissions.ts";
import { errorResult } from "../mcp-endpoint/tool-result.ts";
import { USER } from "../mcp-endpoint/permissions.ts";
import { handClock } from "../testing/hand-clock.ts";
import { CANCEL_ROW, DELETE_ROW, UNKNOWN_ROW } from "../testing/rows.ts";
import { runStore } from "../testing/run-store.ts";
import type { WaitingCall } from "./terminal-policy.ts";
import { createConsent, type Answer, type CallToAsk, type Consent, type ConsentRecord } from "./consent.ts";

const claude: Caller = { kind: "token", name: "claude", permissions: ["*"] };
const engine = {
  connection: "local",
  name: "Embedded engine",
  url: "http://127.0.0.1:9123",
  kind: "embedded",
} as const;

let time: ReturnType<typeof handClock>;
let store: ReturnType<typeof runStore>;
let consent: Consent;
let records: ConsentRecord[];

beforeEach(() => {
  time = handClock();
  store = runStore();
  records = [];
  consent = createConsent({
    clock: time.clock,
    now: () => new Date("2026-01-01T00:00:00Z"),
    timeZone: () => "local",
    onChanged: () => {},
    record: async (record) => void records.push(record),
  });
});

async function ask(call: Partial<CallToAsk> = {}) {
  const asked: { answer?: Answer } = {};
  void consent
    .askCall({
      callId: "call-1",
      caller: claude,
      claim: "Claude Code 9",
      row: DELETE_ROW,
      args: { run_id: "run_1" },
      engine,
      signal: new AbortController().signal,
      read: (tool, args) => store.call(tool, args),
      ...call,
    })
    .then((answer) => (asked.answer = answer));
  await time.settle();
  return asked;
}

/** The person reads the question on top and decides. */
async function decide(answer: "approve" | "decline" = "approve") {
  consent.queue.presented();
  await time.move(INERT_MS);
  consent.queue.inputSeen();
  const taken = consent.queue.answer(consent.current()?.question_id ?? "", answer).taken;
  await time.settle();
  return taken;
}

const events = () => records.map(({ event }) => event);

describe("a question about a call", () => {
  it("shows who asks, where, the exact arguments and the target as it is now", async () => {
    await ask({ args: { run_id: "run_1" } });
    expect(consent.current()).toMatchObject({
      position: 1,
      waiting: 1,
      kind: "tool",
      risk: "irreversible",
      tool: "ironflow_delete_run",
      caller: { name: "claude", claim: "Claude Code 9" },
      engine: { name: "Embedded engine", url: "http://127.0.0.1:9123", kind: "embedded" },
      arguments: [{ label: "run_id", text: '"run_1"', altered: false }],
      asked_at: "2026-01-01T00:00:00.000Z",
      expires_at: "2026-01-01T00:05:00.000Z",
      asked_again: false,
    });
    const rows = Object.fromEntries(consent.current()?.target.map(({ label, text }) => [label, text]) ?? []);
    expect(rows).toMatchObject({ Run: "run_1", Status: "failed", Steps: "2" });
    expect(consent.current()?.consequence).toContain("2 steps");
    expect(consent.current()?.not_reached.length).toBeGreaterThan(0);
  });

  it("about a command shows each of its values once, and says that it runs on this computer", async () => {
    const row = toolByName("ironflow_terminal_run");
    if (row === undefined) throw new Error("there is no such row");
    await ask({ row, args: { command: "make\nmake test", shell: "/bin/sh", cwd: "/work", cols: 100 } });
    expect(consent.current()).toMatchObject({
      kind: "command",
      arguments: [{ label: "cols", text: "100" }],
      target: [
        { label: "Command, line 1 of 2", text: "make" },
        { label: "Command, line 2 of 2", text: "make test" },
        { label: "Shell", text: "/bin/sh" },
        { label: "Folder", text: "/work" },
      ],
    });
  });

  it("[B7] shows commands that go with its answer whole, and is inert again when one more comes", async () => {
    const row = toolByName("ironflow_terminal_run");
    if (row === undefined) throw new Error("there is no such row");
    const waiting: WaitingCall[] = [];
    const asked = await ask({
      row,
      args: { command: "make", shell: "/bin/sh", cwd: "/work" },
      waiting: () => waiting,
    });
    consent.queue.presented();
    await time.move(INERT_MS);
    waiting.push(
      {
        tool: row.name,
        args: {
          command: "rm -r \u202ebuild\ntrue",
          shell: "/bin/sh",
          cwd: "/tmp",
          env: { PATH: "/tmp/\u200bbin", LD_PRELOAD: "/tmp/x.so" },
        },
      },
      { tool: "ironbridge_terminal_input", args: { text: "yes\r", session_id: "term_aaaaaaaa" } },
    );
    consent.waitingChanged();
    expect(consent.current()?.goes_with).toMatchObject([
      { label: "1: Command, line 1 of 2", text: "rm -r ⟨U+202E⟩build", altered: true },
      { label: "1: Command, line 2 of 2", text: "true" },
      { label: "1: Shell", text: "/bin/sh" },
      { label: "1: Folder", text: "/tmp" },
      { label: "1: env", text: '{"LD_PRELOAD":"/tmp/x.so","PATH":"/tmp/⟨U+200B⟩bin"}', altered: true },
      { label: "2: Typed", altered: true },
      { label: "2: Terminal", text: "term_aaaaaaaa" },
    ]);
    consent.queue.inputSeen();
    const id = consent.current()?.question_id ?? "";
    expect(consent.queue.answer(id, "approve")).toMatchObject({ taken: false });
    await time.move(INERT_MS / 2);
    consent.waitingChanged(); // nothing else came: it does not begin anew
    await time.move(INERT_MS / 2);
    consent.queue.inputSeen();
    expect(consent.queue.answer(id, "approve").taken).toBe(true);
    await time.settle();
    expect(asked.answer).toEqual({ approved: true });
  });

  it("is too old when the target took longer to read again than an approval is good for", async () => {
    let hold: Promise<void> | undefined;
    let release = () => {};
    const asked = await ask({
      async read(tool, args) {
        await hold;
        return store.call(tool, args);
      },
    });
    hold = new Promise((done) => (release = done));
    await decide();
    await time.move(EXPIRES_MS);
    release();
    await time.settle();
    expect(asked.answer).toMatchObject({ approved: false, error: { reason: "expired" } });
    expect(events()).toEqual(["asked", "approved", "expired"]);
  });

  it("marks instants, so that they are drawn in the person's zone", async () => {
    await ask();
    const created = consent.current()?.target.find(({ label }) => label === "Created");
    expect(created).toEqual({ label: "Created", text: "2026-01-01T00:00:00Z", altered: false, is: "time" });
    expect(consent.current()?.time_zone).toBe("local");
  });

  it("warns when its caller can run commands, which could imitate the person's input", async () => {
    await ask();
    expect(consent.current()?.caller.caution).toContain("imitate");
    await decide("decline");
    await ask({ caller: { ...claude, permissions: ["mcp.call", "mcp.write"] } });
    expect(consent.current()?.caller.caution).toBeUndefined();
  });

  it("makes what cannot be seen visible, in arguments and claims", async () => {
    store.runs.set("run\u202e_1", { status: "failed", steps: 0 });
    await ask({ args: { run_id: "run\u202e_1" }, claim: "Claude\u200b" });
    expect(consent.current()?.arguments[0]).toEqual({
      label: "run_id",
      text: '"run⟨U+202E⟩_1"',
      altered: true,
    });
    expect(consent.current()?.caller.claim).toBe("Claude⟨U+200B⟩");
  });

  it("approves the call once it was approved, and records both with one digest", async () => {
    const asked = await ask();
    expect(await decide()).toBe(true);
    expect(asked.answer).toEqual({ approved: true });
    expect(events()).toEqual(["asked", "approved"]);
    expect(new Set(records.map(({ digest }) => digest)).size).toBe(1);
    expect(store.changes()).toEqual([]);
  });

  it("is asked again for the same call: an approval is used once", async () => {
    await ask();
    await decide();
    const again = await ask();
    expect(consent.queue.count).toBe(1);
    expect(again.answer).toBeUndefined();
  });

  it.each([
    ["declined", () => decide("decline")],
    ["not_answered", () => consent.queue.dismissed()],
    ["expired", () => time.move(300_000)],
    ["app_closed", () => consent.queue.close()],
  ] as const)("that is %s refuses the call and says that nothing was changed", async (outcome, happens) => {
    const asked = await ask();
    await happens();
    await time.settle();
    expect(asked.answer).toMatchObject({
      approved: false,
      error: { code: "permission_denied", reason: outcome, retryable: false },
    });
    expect(asked.answer?.approved === false && asked.answer.error.error).toContain("Nothing was changed.");
    expect(events()).toEqual(["asked", outcome]);
  });

  it("closes when the caller goes, and can no longer be approved", async () => {
    const gone = new AbortController();
    const asked = await ask({ signal: gone.signal });
    gone.abort();
    await time.settle();
    expect(consent.current()).toBeNull();
    expect(asked.answer).toMatchObject({ approved: false, error: { reason: "caller_gone" } });
  });

  it("does not approve for a caller that went while the target was read again", async () => {
    const gone = new AbortController();
    let reads = 0;
    const asked = await ask({
      signal: gone.signal,
      read: (tool, args) => {
        reads += 1;
        if (reads === 3) gone.abort(); // two reads for the question, the third is after Approve
        return store.call(tool, args);
      },
    });
    await decide();
    expect(asked.answer).toMatchObject({ approved: false, error: { reason: "caller_gone" } });
  });

  it("is asked anew, in front, when the target changed before the approval", async () => {
    const asked = await ask();
    store.runs.set("run_1", { status: "failed", steps: 5 });
    await ask({ caller: { ...claude, name: "other" } });
    await decide();
    expect(asked.answer).toBeUndefined();
    expect(consent.current()).toMatchObject({ asked_again: true, caller: { name: "claude" }, waiting: 2 });
    expect(consent.current()?.consequence).toContain("5 steps");
    await decide();
    expect(asked.answer).toEqual({ approved: true });
  });

  it("tells the caller when the target is gone by the time it is approved", async () => {
    const asked = await ask();
    store.runs.delete("run_1");
    await decide();
    expect(asked.answer).toMatchObject({ approved: false, error: { reason: "target_changed" } });
    expect(events()).toEqual(["asked", "approved", "target_changed"]);
  });

  it("does not say that the target changed when it only cannot be read just now", async () => {
    let down = false;
    const unavailable = { error: "no engine", code: "unavailable", retryable: true };
    const asked = await ask({
      read: async (tool, args) => (down ? errorResult(unavailable) : store.call(tool, args)),
    });
    down = true;
    await decide();
    expect(asked.answer).toEqual({ approved: false, error: unavailable });
    expect(events()).toEqual(["asked", "approved"]);
  });

  it("gives up when the target changes again and again", async () => {
    const asked = await ask();
    for (let round = 1; round <= 3; round += 1) {
      store.runs.set("run_1", { status: "failed", steps: 10 + round });
      await decide();
    }
    expect(asked.answer).toMatchObject({ approved: false, error: { reason: "target_changed" } });
    expect(consent.current()).toBeNull();
  });

  it("does not ask anew because a run that is to be cancelled has moved on", async () => {
    const asked = await ask({ row: CANCEL_ROW });
    store.runs.set("run_1", { status: "running", steps: 9 });
    await decide();
    expect(asked.answer).toEqual({ approved: true });
  });

  it("is not asked about a target that is not there", async () => {
    const asked = await ask({ args: { run_id: "run_404" } });
    expect(asked.answer).toMatchObject({ approved: false, error: { code: "not_found" } });
    expect(records).toEqual([]);
  });

  it("is not asked when the engine shows another run than the one that would be deleted", async () => {
    store.runs.set("run_2", { status: "failed", steps: 1 });
    const asked = await ask({ read: (tool) => store.call(tool, { run_id: "run_2" }) });
    expect(asked.answer).toMatchObject({ approved: false, error: { code: "internal" } });
    expect(consent.current()).toBeNull();
  });

  it("is asked about a tool whose target main cannot read, and says so", async () => {
    await ask({ row: UNKNOWN_ROW, args: { a: 1 } });
    expect(consent.current()?.consequence).toContain("could not be read");
  });

  it("is not asked about arguments that nobody could be shown", async () => {
    const deep = JSON.parse(`${"[".repeat(100)}${"]".repeat(100)}`) as unknown;
    for (const args of [{ deep }, { long: "x".repeat(600_000) }]) {
      const asked = await ask({ row: UNKNOWN_ROW, args });
      expect(asked.answer).toMatchObject({ approved: false, error: { code: "invalid_argument" } });
    }
    expect(consent.current()).toBeNull();
  });

  it("names the person when the person's own button asks", async () => {
    await ask({ caller: USER, claim: undefined });
    expect(consent.current()?.caller).toEqual({ name: "You, in the app" });
  });

  it("is refused without being asked when too many of one caller wait", async () => {
    for (let at = 0; at < 8; at += 1) await ask();
    const more = await ask();
    expect(more.answer).toMatchObject({
      approved: false,
      error: { code: "resource_exhausted", retryable: true },
    });
    const other = await ask({ caller: { ...claude, name: "other" } });
    expect(other.answer).toBeUndefined();
    expect(events()).toHaveLength(9);
  });
});

describe("a question about rights", () => {
  it("shows what would be given, and is answered like any other", async () => {
    let answer: Answer | undefined;
    void consent
      .askRights({
        title: "Make a token",
        consequence: "Whoever has it may do this.",
        details: [{ label: "Name", text: "cla\u200bude" }],
        effects: ["Reads."],
        signal: new AbortController().signal,
      })
      .then((given) => (answer = given));
    await time.settle();
    expect(consent.current()).toMatchObject({
      kind: "rights",
      title: "Make a token",
      arguments: [{ label: "Name", text: "cla⟨U+200B⟩ude", altered: true }],
      effects: ["Reads."],
    });
    await decide();
    expect(answer).toEqual({ approved: true });
  });
});
