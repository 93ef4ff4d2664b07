import { createConsent, type CallToAsk, type Consent, type ConsentRecord } from "../consent/consent.ts";
import { terminalPolicies } from "../consent/terminal-policy.ts";
import { INERT_MS } from "../contract/consent.ts";
import { NO_RULES, type HouseRules } from "../mcp-endpoint/gate.ts";
import { createPerformer, type Performer, type ToolCall } from "../mcp-endpoint/perform.ts";
import type { ApplicationRow } from "../mcp-endpoint/application-rows.ts";
import type { AuditEvent } from "../mcp-endpoint/audit.ts";
import type { Caller } from "../mcp-endpoint/permissions.ts";
import { handClock } from "./hand-clock.ts";
import { CANCEL_ROW, DELETE_ROW, READ_ROW, WRITE_ROW } from "./rows.ts";
import { runStore } from "./run-store.ts";

export const CLAUDE: Caller = { kind: "token", name: "claude", permissions: ["mcp.call", "mcp.write"] };

/** What a call came to so far; `done` once its promise has settled. */
export interface Outcome {
  done: boolean;
  /** `ok`, the error's reason, `come back`, or `threw`. */
  word: string | undefined;
  state: string | undefined;
}

const APPLICATION_ANSWER = { content: [{ type: "text" as const, text: "done" }] };

interface World {
  rules: HouseRules;
  agentsMayWrite: boolean;
  connections: readonly string[];
  /** What applications declare on every connection. */
  applications: readonly ApplicationRow[];
  onAsk: (call: CallToAsk) => void;
  /** Told of every call that changes something, right before the engine gets it. */
  onChange: (change: {
    caller: string;
    connection: string;
    tool: string;
    args: Readonly<Record<string, unknown>>;
  }) => void;
}

/** Everything between the endpoint and the engine, real, on a clock that the test moves. */
export function consentWorld() {
  const time = handClock();
  const store = runStore();
  const audit: AuditEvent[] = [];
  const records: ConsentRecord[] = [];
  const world: World = {
    rules: NO_RULES,
    agentsMayWrite: true,
    connections: ["local", "other"],
    applications: [],
    onAsk: () => {},
    onChange: () => {},
  };
  const remembered = new Set<string>();
  const consent: Consent = createConsent({
    clock: time.clock,
    now: () => new Date(time.clock.nowMs()),
    timeZone: () => "local",
    onChanged: () => {},
    record: async (record) => void records.push(record),
  });
  const performer: Performer = createPerformer({
    rows: [READ_ROW, WRITE_ROW, DELETE_ROW, CANCEL_ROW],
    own: [],
    terminals: terminalPolicies(),
    hub: {
      call: async (connection, tool, args, { caller }) => {
        if (!tool.startsWith("ironflow_get_")) world.onChange({ caller, connection, tool, args });
        if (world.applications.some(({ name }) => name === tool)) return APPLICATION_ANSWER;
        return store.call(tool, args);
      },
      link: (connection) =>
        world.connections.includes(connection)
          ? {
              name: connection,
              applicationRows: world.applications,
              switches: {
                name: connection,
                personMayWrite: true,
                agentsMayWrite: world.agentsMayWrite,
                terminals: false,
              },
              meta: { connection, kind: "remote", url: `http://127.0.0.1:9123/${connection}` },
            }
          : undefined,
    },
    consent: {
      askCall(asked) {
        world.onAsk(asked);
        return consent.askCall(asked);
      },
    },
    remembered: {
      has: (subject) => remembered.has(JSON.stringify(subject)),
      add: (subject) => void remembered.add(JSON.stringify(subject)),
    },
    callerNow: ({ caller }) => caller,
    rules: () => world.rules,
    audit: { write: async (event) => void audit.push(event) },
    onActivity: () => {},
    now: () => new Date(time.clock.nowMs()),
    clock: time.clock,
  });

  function call(given: Partial<ToolCall> = {}): Outcome {
    const outcome: Outcome = { done: false, word: undefined, state: undefined };
    performer
      .perform({
        caller: CLAUDE,
        tokenId: "token-1",
        claim: undefined,
        connection: "local",
        tool: "ironflow_delete_run",
        args: { run_id: "run_1" },
        signal: new AbortController().signal,
        ...given,
      })
      .then(
        (result) => {
          outcome.done = true;
          if (result === undefined) outcome.word = "hidden";
          else if ("comeBack" in result) {
            outcome.word = "come back";
            outcome.state = String(result.comeBack);
          } else outcome.word = result.isError === true ? reasonOf(result.content) : "ok";
        },
        () => {
          outcome.done = true;
          outcome.word = "threw";
        },
      );
    return outcome;
  }

  /** The person reads the question on top and decides, by hand. Whether that counted. */
  async function decide(answer: "approve" | "decline", remember = false): Promise<boolean> {
    consent.queue.presented();
    await time.move(INERT_MS);
    consent.queue.inputSeen();
    const { taken } = consent.queue.answer(consent.current()?.question_id ?? "", answer, remember);
    await time.settle();
    return taken;
  }

  return { time, store, audit, records, remembered, world, consent, performer, call, decide };
}

function reasonOf(content: readonly { type: string; text?: unknown }[]): string {
  const { reason, code } = JSON.parse(String(content[0]?.text)) as { reason?: string; code: string };
  return reason ?? code;
}
