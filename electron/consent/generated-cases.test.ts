import fc from "fast-check";
import { expect, it } from "vitest";
import { NO_RULES } from "../mcp-endpoint/gate.ts";
import { HANDSHAKE_PATIENCE, MODERN_PATIENCE } from "../mcp-endpoint/held-questions.ts";
import { CLAUDE, consentWorld, type Outcome } from "../testing/consent-world.ts";
import { INERT_MS } from "../contract/consent.ts";

/** How many cases are made up; the long run sets it to 10,000 and more. */
const CASES = Number(process.env["IRONBRIDGE_CONSENT_CASES"] ?? 300);
/** The vitest limit of the one test here, in ms. */
const LIMIT_MS = 30_000 + CASES * 60;

/** Everything that an approval is bound to, with values that are easily taken for one another. */
const identity = fc.record({
  caller: fc.constantFrom("claude", "claude", "Claude"),
  tokenId: fc.constantFrom("token-1", "token-1", "token-2"),
  connection: fc.constantFrom("local", "local", "other"),
  tool: fc.constantFrom("ironflow_delete_run", "ironflow_delete_run", "ironflow_cancel_run"),
  run: fc.constantFrom("run_1", "run_1", "run_2", "run\u200b_1"),
});
interface Identity {
  readonly caller: string;
  readonly tokenId: string;
  readonly connection: string;
  readonly tool: string;
  readonly run: string;
}

const step = fc.oneof(
  fc.record({
    do: fc.constant("call" as const),
    who: identity,
    modern: fc.boolean(),
    /** More of it at once, and the person may answer before the question is there. */
    times: fc.constantFrom(1, 1, 2, 3),
    settle: fc.boolean(),
  }),
  fc.record({
    do: fc.constant("repeat" as const),
    nth: fc.nat(9),
    state: fc.constantFrom("own", "own", "none", "none", "made up", "another's"),
    other: fc.option(identity),
  }),
  fc.record({ do: fc.constant("decide" as const), answer: fc.constantFrom("approve", "approve", "decline") }),
  fc.record({ do: fc.constant("decide" as const), answer: fc.constant("approve" as const) }),
  fc.record({
    do: fc.constant("forge" as const),
    how: fc.constantFrom("early", "unseen", "stale", "other id"),
  }),
  fc.record({
    do: fc.constant("target" as const),
    run: fc.constantFrom("run_1", "run_2"),
    steps: fc.nat(3),
    gone: fc.boolean(),
  }),
  fc.record({
    do: fc.constant("time" as const),
    ms: fc.constantFrom(1, 799, 25_000, 50_000, 240_000, 300_000),
  }),
  fc.record({ do: fc.constant("hang up" as const), nth: fc.nat(9) }),
  fc.record({
    do: fc.constantFrom(
      "revoke" as const,
      "stop" as const,
      "lift" as const,
      "read-only" as const,
      "writable" as const,
    ),
  }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** What a person saw and approved with their own hand: good for one execution of exactly this call, until `untilMs`. */
interface Grant {
  readonly target: string;
  readonly untilMs: number;
}

interface Sent {
  readonly who: Identity;
  readonly modern: boolean;
  readonly outcome: Outcome;
  readonly gone: AbortController;
  counted: boolean;
}

/** Plays one case against an oracle of its own. `holes` names everything that ran without an approval for it. */
async function play(steps: readonly Step[]): Promise<{ holes: string[]; ran: number }> {
  const { time, store, consent, performer, audit, world, call } = consentWorld();
  for (const id of ["run_2", "run\u200b_1"]) store.runs.set(id, { status: "failed", steps: 2 });
  const sent: Sent[] = [];
  const asked = new Map<string, Identity>();
  const grants = new Map<string, Grant[]>();
  const holes: string[] = [];
  const states: string[] = [];
  const questionIds: string[] = [];
  let running: Identity[] = [];
  let ran = 0;

  const targetOf = ({ tool, run }: Pick<Identity, "tool" | "run">) => {
    const now = store.runs.get(run);
    return now === undefined
      ? "gone"
      : tool === "ironflow_delete_run"
        ? `${now.status} ${now.steps}`
        : "there";
  };
  world.onAsk = ({ callId, claim }) => void asked.set(callId, JSON.parse(claim ?? "") as Identity);
  world.onChange = ({ caller, connection, tool, args }) => {
    ran += 1;
    const row = audit.findLast(({ event }) => event === "mcp.call");
    const callId = String(row?.detail["call_id"]);
    const who = asked.get(callId);
    const here = `${tool} ${JSON.stringify(args)}`;
    if (who === undefined) return void holes.push(`${here}: nobody was asked`);
    const same = who.caller === caller && who.connection === connection && who.tool === tool;
    if (!same || args["run_id"] !== who.run) holes.push(`${here}: something else was asked about`);
    const grant = grants.get(callId)?.pop();
    if (grant === undefined) holes.push(`${here}: not approved, or done twice`);
    else if (grant.target !== targetOf(who)) holes.push(`${here}: the target has changed`);
    else if (time.clock.nowMs() >= grant.untilMs) holes.push(`${here}: the approval is too old`);
    if (world.rules.stopped) holes.push(`${here}: while everything was stopped`);
    if (!world.agentsMayWrite) holes.push(`${here}: on a read-only connection`);
    running.push(who);
  };

  function send(who: Identity, modern: boolean, state?: string): void {
    const gone = new AbortController();
    const outcome = call({
      caller: { ...CLAUDE, name: who.caller },
      tokenId: who.tokenId,
      claim: JSON.stringify(who),
      connection: who.connection,
      tool: who.tool,
      args: { run_id: who.run },
      signal: gone.signal,
      patience: modern ? MODERN_PATIENCE : HANDSHAKE_PATIENCE,
      state,
    });
    sent.push({ who, modern, outcome, gone, counted: false });
  }

  async function decide(answer: "approve" | "decline"): Promise<void> {
    consent.queue.presented();
    await time.move(INERT_MS);
    const top = consent.queue.top;
    const callId = [...asked].find(
      ([, who]) => JSON.stringify(who) === unmark(top?.question.caller.claim),
    )?.[0];
    if (top === undefined || callId === undefined) return;
    const shown = new Map(top.question.target.map(({ label, text }) => [label, text]));
    const seen =
      top.question.tool === "ironflow_delete_run" ? `${shown.get("Status")} ${shown.get("Steps")}` : "there";
    consent.queue.inputSeen();
    if (!consent.queue.answer(top.id, answer).taken || answer === "decline") return;
    // Of calls with one identity several may be asked about; each of them is as good as the other.
    for (const [id, who] of asked)
      if (JSON.stringify(who) === JSON.stringify(asked.get(callId)))
        grants.set(id, [...(grants.get(id) ?? []), { target: seen, untilMs: top.expiresMs }]);
    approvals.set(identityKey(asked.get(callId)), (approvals.get(identityKey(asked.get(callId))) ?? 0) + 1);
  }
  const approvals = new Map<string, number>();
  const executions = new Map<string, number>();

  async function forge(how: string): Promise<void> {
    const top = consent.queue.top;
    consent.queue.presented();
    if (how !== "early") await time.move(INERT_MS);
    if (how === "stale") {
      consent.queue.inputSeen();
      await time.move(2_001);
    }
    if (how === "early" || how === "other id") consent.queue.inputSeen();
    const id =
      how === "other id" ? (questionIds.find((old) => old !== consent.queue.top?.id) ?? "made-up") : top?.id;
    if (consent.queue.answer(id ?? "", "approve").taken) holes.push(`an answer was forged: ${how}`);
  }

  function check(): void {
    const top = consent.queue.top?.id;
    if (top !== undefined) questionIds.push(top);
    for (const each of sent) {
      if (each.outcome.state !== undefined && !states.includes(each.outcome.state))
        states.push(each.outcome.state);
      if (each.outcome.word !== "ok" || each.counted) continue;
      each.counted = true;
      const at = running.findIndex((who) => JSON.stringify(who) === JSON.stringify(each.who));
      if (at < 0) holes.push(`${JSON.stringify(each.who)} was told that it was done`);
      else running.splice(at, 1);
    }
    for (const who of running) holes.push(`${JSON.stringify(who)} ran for a caller that did not ask for it`);
    running = [];
    for (const [key, count] of executions)
      if (count > (approvals.get(key) ?? 0)) holes.push(`${key} ran ${count} times`);
  }

  for (const each of steps) {
    switch (each.do) {
      case "call":
        for (let at = 0; at < each.times; at += 1) send(each.who, each.modern);
        if (!each.settle) continue;
        break;
      case "repeat": {
        const before = sent[each.nth % Math.max(1, sent.length)];
        if (before === undefined) break;
        const given = {
          own: before.outcome.state,
          none: undefined,
          "made up": "made-up",
          "another's": states[0],
        };
        send(each.other ?? before.who, before.modern, given[each.state]);
        break;
      }
      case "decide":
        await decide(each.answer);
        break;
      case "forge":
        await forge(each.how);
        break;
      case "target":
        if (each.gone) store.runs.delete(each.run);
        else store.runs.set(each.run, { status: "failed", steps: each.steps });
        break;
      case "time":
        await time.move(each.ms);
        break;
      case "hang up":
        sent[each.nth % Math.max(1, sent.length)]?.gone.abort();
        break;
      case "revoke":
        performer.drop("claude");
        break;
      case "stop":
        world.rules = { ...NO_RULES, stopped: true };
        consent.queue.refuseAll();
        performer.drop();
        break;
      case "lift":
        world.rules = NO_RULES;
        break;
      case "read-only":
      case "writable":
        world.agentsMayWrite = each.do === "writable";
        break;
      default:
        each satisfies never;
    }
    await time.settle();
    for (const who of running) executions.set(identityKey(who), (executions.get(identityKey(who)) ?? 0) + 1);
    check();
  }
  return { holes, ran };
}

const identityKey = (who: Identity | undefined): string => JSON.stringify(who);

/** A claim as the window shows it, read back. */
const unmark = (text: string | undefined): string | undefined => text?.replaceAll("⟨U+200B⟩", "\u200b");

const LATE_CALL = {
  do: "call",
  who: {
    caller: "claude",
    tokenId: "token-1",
    connection: "other",
    tool: "ironflow_delete_run",
    run: "run_2",
  },
  modern: false,
  times: 1,
  settle: false,
} as const;
/** Found by a long run: the caller came for its approval in time, and reading the target again took until it was too old. */
const CAME_TOO_LATE = [
  LATE_CALL,
  { do: "time", ms: 50_000 } as const,
  { do: "decide", answer: "approve" } as const,
  LATE_CALL,
  { do: "time", ms: 300_000 } as const,
];

it(
  `nothing is executed that was not approved, in ${CASES} made-up cases`,
  async () => {
    let ran = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 16 }), async (steps) => {
        const played = await play(steps);
        ran += played.ran;
        expect(played.holes).toEqual([]);
      }),
      { numRuns: CASES, examples: [[CAME_TOO_LATE]] },
    );
    // Cases in which nothing ever runs would prove nothing.
    expect(ran).toBeGreaterThan(CASES / 20);
  },
  LIMIT_MS,
);
