import type { Core } from "../core.ts";
import { FUNCTION_DEFAULTS } from "../contract/functions.ts";
import type { RunRow } from "../store/runs.ts";
import { maskSecrets } from "../secrets/mask.ts";
import { knowSecrets } from "../secrets/masker.ts";
import { resolveSecrets } from "../secrets/secrets.ts";
import { isStorageTrouble } from "../store/database.ts";
import type { Tx } from "../store/writer.ts";
import type { BreakerTarget } from "./breakers.ts";
import { claimRow } from "./ready.ts";
import { applyOutcome, failAttempt, isCurrent, secretError, setAside } from "./outcome.ts";
import { buildPushBody } from "./push-body.ts";
import type { PushClient, PushOutcome } from "./push.ts";
import type { RegisteredFunction } from "./registry.ts";

/** What may happen at the same time in a function, or in one key of it, and what does. */
interface Lane {
  environmentId: string;
  functionId: string;
  /** "" for a function without concurrency key. */
  key: string;
  inFlight: number;
  /** There may be ready runs in the store. Said too often costs a query; never said too seldom. */
  backlog: boolean;
}

/** A run that is being executed. Its answer counts only while the run still has this execution number. */
export interface Claim {
  runId: string;
  executionSeq: number;
  target: BreakerTarget;
  /** This call is the one that a half-open breaker lets through. */
  probe: boolean;
  lane: Lane;
}

/** `claimed`: a slot is taken, the call begins after the commit. Otherwise the run waits its turn. */
export type Admission =
  | { kind: "claimed"; permit: Omit<Claim, "runId" | "executionSeq"> }
  | { kind: "queued" | "deferred" };

export interface Dispatcher {
  /** Takes a slot for one run of this function if it may be executed at once. Undone when the transaction is. */
  admit(tx: Tx, environmentId: string, functionId: string, laneKey: string): Admission;
  /** Begins the call of an admitted run once the transaction is on disk. */
  launch(tx: Tx, run: RunRow, permit: Omit<Claim, "runId" | "executionSeq">): void;
  /** Takes a slot for a run that a pull worker is to have; false when its lane is full. Undone with the transaction. */
  takePull(tx: Tx, run: RunRow, fn: RegisteredFunction): boolean;
  /** Gives the slot of a pulled run back. A run that has none is left alone. */
  releasePull(tx: Tx, runId: string): void;
  /** Whether runs of this function wait because the breaker of its endpoint is not closed. */
  isHeldBack(environmentId: string, fn: RegisteredFunction): boolean;
  /** Whether a run of this function and key could begin now. */
  hasRoom(fn: RegisteredFunction, laneKey: string): boolean;
  /** There may be ready runs of this function. */
  wake(environmentId: string, functionId: string): void;
  /** Looks for ready runs of all functions, as after a start. */
  start(): void;
  /** Begins no further call, gives those under way `graceMs`, then cuts them off. */
  stop(graceMs: number): Promise<void>;
}

export interface DispatchLimits {
  /** Calls at the same time, all functions together. */
  processSlots: number;
  /** Calls at the same time to one function that does not say. */
  functionSlots: number;
}

export const DISPATCH_LIMITS: DispatchLimits = { processSlots: 128, functionSlots: 64 };

/** After ready runs could not be claimed, ms. */
const claimRetryMs = 5_000;

/** How long a result that could not be stored is kept in memory before the next try. */
const storeRetryMs = 500;

export function createDispatcher(
  core: () => Core,
  push: PushClient,
  limits: DispatchLimits = DISPATCH_LIMITS,
): Dispatcher {
  const lanes = new Map<string, Lane>();
  /** Which lane the runs that pull workers have take a slot of. */
  const pulled = new Map<string, Lane>();
  const calls = new Set<Promise<void>>();
  let inFlight = 0;
  let stopping = false;
  let cutOff = false;
  let pumpAsked = false;
  let turn = 0;

  const nameOf = (environmentId: string, functionId: string, key: string) =>
    `${environmentId}\n${functionId}\n${key}`;

  function laneOf(environmentId: string, functionId: string, key: string): Lane {
    const name = nameOf(environmentId, functionId, key);
    let lane = lanes.get(name);
    if (lane === undefined) {
      lane = { environmentId, functionId, key, inFlight: 0, backlog: false };
      lanes.set(name, lane);
    }
    return lane;
  }

  /** There may be as many lanes as keys: one in which nothing happens is forgotten. Nothing else holds on to it. */
  function tidy(lane: Lane): void {
    if (lane.inFlight === 0 && !lane.backlog) {
      lanes.delete(nameOf(lane.environmentId, lane.functionId, lane.key));
    }
  }

  function freeSlots(lane: Lane, fn: RegisteredFunction): number {
    if (fn.config.preferredMode === "pull") return 0;
    const own = (fn.config.concurrency?.limit ?? limits.functionSlots) - lane.inFlight;
    return Math.min(own, limits.processSlots - inFlight);
  }

  function take(tx: Tx, lane: Lane): void {
    lane.inFlight += 1;
    inFlight += 1;
    tx.onRollback(() => {
      lane.inFlight -= 1;
      inFlight -= 1;
    });
  }

  function release(tx: Tx, lane: Lane): void {
    lane.inFlight -= 1;
    inFlight -= 1;
    tx.onRollback(() => {
      lane.inFlight += 1;
      inFlight += 1;
    });
  }

  const targetOf = (
    lane: Pick<Lane, "environmentId" | "functionId">,
    fn: RegisteredFunction,
  ): BreakerTarget => ({
    environmentId: lane.environmentId,
    functionId: lane.functionId,
    endpoint: fn.config.endpointUrl ?? "",
  });

  function tryTake(tx: Tx, lane: Lane, fn: RegisteredFunction): Admission {
    const target = targetOf(lane, fn);
    const permit = core().breakers.permit(tx, target);
    if (permit === "refuse") return { kind: "deferred" };
    take(tx, lane);
    return { kind: "claimed", permit: { target, probe: permit === "probe", lane } };
  }

  function hasRoom(fn: RegisteredFunction, laneKey: string): boolean {
    const lane = lanes.get(nameOf(fn.row.environment_id, fn.row.id, laneKey));
    if (fn.config.preferredMode === "pull") {
      return (lane?.inFlight ?? 0) < (fn.config.concurrency?.limit ?? Number.POSITIVE_INFINITY);
    }
    return lane === undefined ? inFlight < limits.processSlots : !lane.backlog && freeSlots(lane, fn) > 0;
  }

  const heldBack = (lane: Pick<Lane, "environmentId" | "functionId">, fn: RegisteredFunction) =>
    fn.config.preferredMode === "push" && core().breakers.holdsBack(targetOf(lane, fn));

  function admit(tx: Tx, environmentId: string, functionId: string, laneKey: string): Admission {
    const lane = laneOf(environmentId, functionId, laneKey);
    const fn = core().registry.get(environmentId, functionId);
    const free = fn !== undefined && !stopping && !lane.backlog && freeSlots(lane, fn) > 0;
    if (free) {
      const admission = tryTake(tx, lane, fn);
      if (admission.kind === "claimed") return admission;
    }
    if (fn?.config.preferredMode === "pull") tx.afterCommit(() => tidy(lane));
    else lane.backlog = true;
    return { kind: fn !== undefined && heldBack(lane, fn) ? "deferred" : "queued" };
  }

  function launch(tx: Tx, run: RunRow, permit: Omit<Claim, "runId" | "executionSeq">): void {
    const claim: Claim = { ...permit, runId: run.id, executionSeq: run.execution_seq };
    tx.afterCommit(() => {
      const call = execute(claim).finally(() => calls.delete(call));
      calls.add(call);
    });
  }

  async function execute(claim: Claim): Promise<void> {
    const { breakers, clock, log, writer, store, registry } = core();
    let outcome: PushOutcome | undefined;
    let problem: string | undefined;
    let given: string[] = [];
    try {
      const run = store.runs.get(claim.runId);
      const fn = registry.get(claim.target.environmentId, claim.target.functionId);
      if (run === undefined || fn === undefined) throw new Error("the run or its function is gone");
      const timeoutMs = fn.config.timeoutMs ?? FUNCTION_DEFAULTS.timeoutMs;
      // Another change of the same commit may have cancelled it: then no call is made.
      if (isCurrent(run, claim)) {
        const secrets = resolveSecrets(core(), fn.row.environment_id, fn.config.secrets ?? []);
        if ("problem" in secrets) problem = secrets.problem;
        else {
          given = Object.values(secrets.values);
          outcome = await push.call({
            endpoint: claim.target.endpoint,
            body: buildPushBody(store, run, secrets.values),
            budgetMs: Math.min(timeoutMs, core().pushTimeoutMs),
            masked: maskSecrets(given),
          });
        }
      }
    } catch (error) {
      log.error({ err: error, run: claim.runId }, "a call could not be made");
      outcome = { kind: "transport", reason: "the call could not be made" };
    }
    // Cut off by our own stop: the run is taken up again at the next start, with the same attempt.
    if (cutOff && outcome?.kind === "transport") return;
    let apply = (tx: Tx) => {
      if (outcome !== undefined) {
        const { environmentId, functionId } = claim.target;
        knowSecrets(core(), tx, { environment_id: environmentId, function_id: functionId }, given);
        applyOutcome(core(), tx, claim, outcome);
        return;
      }
      breakers.notCalled(tx, claim.target, claim.probe);
      const run = store.runs.get(claim.runId);
      if (problem !== undefined && run !== undefined && isCurrent(run, claim)) {
        failAttempt(core(), tx, run, secretError(problem), "transport");
      }
    };
    let pumps = true;
    for (;;) {
      try {
        await writer.write((tx) => {
          apply(tx);
          release(tx, claim.lane);
          if (pumps) pump(tx);
          tx.afterCommit(() => tidy(claim.lane));
        });
        if (!pumps) askPump();
        return;
      } catch (error) {
        log.error({ err: error, run: claim.runId }, "a result could not be stored");
        if (cutOff) return;
        // What the function did must not be forgotten while there is a process to remember it and a disk that may
        // recover. Any other error would come again. It may be another run's whose turn it was: that one is not taken
        // along then. If it is this run's own, a person has to look at it.
        if (!isStorageTrouble(error)) {
          if (pumps) {
            pumps = false;
            continue;
          }
          apply = (tx) => setAside(core(), tx, claim);
        }
        await new Promise<void>((resolve) => {
          clock.after(storeRetryMs, resolve);
        });
      }
    }
  }

  /** Claims ready runs while there are slots; functions take turns. */
  function pump(tx: Tx): void {
    if (stopping) return;
    const waiting = [...lanes.values()].filter((lane) => lane.backlog);
    for (let i = 0; i < waiting.length && inFlight < limits.processSlots; i += 1) {
      const lane = waiting[(i + turn) % waiting.length];
      if (lane !== undefined) pumpLane(tx, lane);
    }
    turn += 1;
  }

  function pumpLane(tx: Tx, lane: Lane): void {
    const { registry, store } = core();
    const fn = registry.get(lane.environmentId, lane.functionId);
    // Workers ask for the ready runs of a pull function themselves.
    const pull = fn?.config.preferredMode === "pull";
    const free = fn === undefined || pull ? 0 : freeSlots(lane, fn);
    if (fn !== undefined && !pull && free <= 0) return;
    if (fn === undefined || pull) {
      setIdle(tx, lane);
      return;
    }
    // Behind a breaker there is a probe at most.
    const wanted = heldBack(lane, fn) ? 1 : free;
    const ready = store.runs.ready(lane.environmentId, lane.functionId, lane.key, wanted);
    for (const run of ready) {
      const admission = tryTake(tx, lane, fn);
      if (admission.kind !== "claimed") return;
      launch(tx, claimRow(core(), tx, run), admission.permit);
    }
    if (ready.length < wanted) setIdle(tx, lane);
  }

  function setIdle(tx: Tx, lane: Lane): void {
    lane.backlog = false;
    tx.onRollback(() => {
      // It may have been forgotten meanwhile.
      laneOf(lane.environmentId, lane.functionId, lane.key).backlog = true;
    });
    tx.afterCommit(() => tidy(lane));
  }

  function takePull(tx: Tx, run: RunRow, fn: RegisteredFunction): boolean {
    const lane = laneOf(run.environment_id, run.function_id, run.lane_key);
    if (lane.inFlight >= (fn.config.concurrency?.limit ?? Number.POSITIVE_INFINITY)) return false;
    lane.inFlight += 1;
    pulled.set(run.id, lane);
    tx.onRollback(() => {
      lane.inFlight -= 1;
      pulled.delete(run.id);
    });
    return true;
  }

  function releasePull(tx: Tx, runId: string): void {
    const lane = pulled.get(runId);
    if (lane === undefined) return;
    lane.inFlight -= 1;
    pulled.delete(runId);
    tx.onRollback(() => {
      lane.inFlight += 1;
      pulled.set(runId, lane);
    });
    tx.afterCommit(() => tidy(lane));
  }

  function askPump(): void {
    if (pumpAsked || stopping) return;
    pumpAsked = true;
    core()
      .writer.write((tx) => {
        pumpAsked = false;
        pump(tx);
      })
      .catch((error: unknown) => {
        pumpAsked = false;
        core().log.error({ err: error }, "ready runs could not be claimed");
        return pumpApart();
      })
      .catch((error: unknown) =>
        core().log.error({ err: error }, "ready runs could not be claimed one by one"),
      );
  }

  /** Each lane in a change of its own: one whose runs cannot be claimed holds up no other, and is tried again. */
  async function pumpApart(): Promise<void> {
    let failed = false;
    for (const lane of [...lanes.values()].filter(({ backlog }) => backlog)) {
      try {
        await core().writer.write((tx) => pumpLane(tx, lane));
      } catch (error) {
        failed = true;
        core().log.error(
          { err: error, function: lane.functionId },
          "ready runs of a lane could not be claimed",
        );
      }
    }
    if (failed) core().clock.after(claimRetryMs, askPump);
  }

  return {
    admit,
    launch,
    takePull,
    releasePull,
    isHeldBack: (environmentId, fn) => heldBack({ environmentId, functionId: fn.row.id }, fn),
    hasRoom,
    wake: (environmentId, functionId) => {
      for (const row of core().store.runs.readyLanes(environmentId, functionId)) {
        laneOf(row.environment_id, row.function_id, row.lane_key).backlog = true;
      }
      askPump();
    },
    start: () => {
      for (const row of core().store.runs.readyLanes()) {
        laneOf(row.environment_id, row.function_id, row.lane_key).backlog = true;
      }
      for (const run of core().store.runs.leased()) {
        const lane = laneOf(run.environment_id, run.function_id, run.lane_key);
        lane.inFlight += 1;
        pulled.set(run.id, lane);
      }
      askPump();
    },
    stop: async (graceMs) => {
      stopping = true;
      const cut = () => {
        cutOff = true;
        push.close();
      };
      const late = core().clock.after(graceMs, cut);
      while (calls.size > 0) await Promise.all(calls);
      late();
      cut();
    },
  };
}
