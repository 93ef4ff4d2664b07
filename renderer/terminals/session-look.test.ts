import { expect, test } from "vitest";
import type { TerminalSession } from "../../bridge/contract/api.ts";
import { sessionLook } from "./session-look.ts";

const session = (more: Partial<TerminalSession>) =>
  ({ status: "exited", exit_code: 0, ...more }) as TerminalSession;

test("only exit code 0 looks like success", () => {
  expect(sessionLook(session({}))).toMatchObject({ tone: "good", icon: "check" });
  for (const exit_code of [1, 2, 127, 255])
    expect(sessionLook(session({ exit_code }))).toMatchObject({ tone: "bad", icon: "cross", word: "Failed" });
});

test("other ends keep their own words", () => {
  expect(sessionLook(session({ status: "stopped_by_user", exit_code: 130 })).word).toBe("Stopped");
  expect(sessionLook(session({ status: "signalled", exit_code: null })).tone).toBe("bad");
  expect(sessionLook(session({ status: "running", exit_code: null })).tone).toBe("busy");
});
