import { describe, expect, test } from "vitest";
import type { Connection } from "../../electron/contract/connection.ts";
import { applyConnections, currentOf, reasonToSay } from "./apply-connections.ts";
import { LOADING } from "./reading.ts";

const connection = (id: string, state: Connection["state"]): Connection => ({
  id,
  name: id,
  kind: "embedded",
  url: "http://127.0.0.1:1",
  state,
  live: "websocket",
  person_may_write: true,
  agents_may_write: false,
  since: "2026-01-01T00:00:00Z",
});
const nothing = { connections: LOADING, connectionId: null };

describe("applyConnections", () => {
  test("the first list chooses its first engine and has everything read", () => {
    const { state, readAgain } = applyConnections(nothing, [connection("a", "connected")], 1);
    expect(currentOf(state)?.id).toBe("a");
    expect(readAgain).toBe(true);
  });

  test("the choice stays while it exists, then falls to the first", () => {
    const two = applyConnections(
      nothing,
      [connection("a", "connected"), connection("b", "connected")],
      1,
    ).state;
    const chosen = { ...two, connectionId: "b" };
    expect(
      applyConnections(chosen, [connection("a", "connected"), connection("b", "connected")], 2),
    ).toMatchObject({
      state: { connectionId: "b" },
      readAgain: false,
    });
    expect(applyConnections(chosen, [connection("a", "connected")], 2)).toMatchObject({
      state: { connectionId: "a" },
      readAgain: true,
    });
  });

  test("only coming back has everything read again, going away does not", () => {
    const up = applyConnections(nothing, [connection("a", "connected")], 1).state;
    const down = applyConnections(up, [connection("a", "unreachable")], 2);
    expect(down.readAgain).toBe(false);
    expect(applyConnections(down.state, [connection("a", "connected")], 3).readAgain).toBe(true);
  });

  test("no engine at all is a list, not a failure", () => {
    const { state, readAgain } = applyConnections(nothing, [], 1);
    expect(state).toEqual({ connections: { phase: "ready", data: [], at: 1 }, connectionId: null });
    expect(readAgain).toBe(false);
  });
});

describe("reasonToSay", () => {
  const lost = "the engine at http://127.0.0.1:1 cannot be reached (ECONNREFUSED)";
  const away = (state: Connection["state"]) => ({ ...connection("a", state), problem: lost });

  test.each(["unreachable", "unauthorized", "crashed"] as const)(
    "of an engine that is %s says nothing that the bar above says already",
    (state) => {
      expect(reasonToSay(away(state), lost)).toBeNull();
      expect(reasonToSay(away(state), null)).toBeNull();
      expect(reasonToSay(away(state), "it is slow")).toBe("it is slow");
    },
  );

  test("says everything where there is no such bar", () => {
    expect(reasonToSay(away("starting"), null)).toBe(lost);
    expect(reasonToSay(connection("a", "starting"), null)).toBe("the engine does not answer");
    expect(reasonToSay(connection("a", "connected"), lost)).toBe(lost);
    expect(reasonToSay(undefined, lost)).toBe(lost);
  });
});
