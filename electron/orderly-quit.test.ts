import { describe, expect, it } from "vitest";
import { quitSteps } from "./orderly-quit.ts";

describe("the end of the app", () => {
  it("ends last what was opened first, waits for each, and does not skip the rest when one throws", async () => {
    const seen: string[] = [];
    const steps = quitSteps();
    steps.add("engine", () => void seen.push("engine"));
    steps.add("mcp", async () => {
      await Promise.resolve();
      seen.push("mcp");
      throw new Error("deaf");
    });
    steps.add("window", () => {
      seen.push("window");
      throw new Error("gone");
    });
    const failures = await steps.run();
    expect(seen).toEqual(["window", "mcp", "engine"]);
    expect(failures.map(({ step }) => step)).toEqual(["window", "mcp"]);
  });

  it("ends everything once, however often it is asked to", async () => {
    let ends = 0;
    const steps = quitSteps();
    steps.add("engine", () => void (ends += 1));
    await Promise.all([steps.run(), steps.run()]);
    await steps.run();
    expect(ends).toBe(1);
  });

  it("ends also what was opened while it was ending", async () => {
    const seen: string[] = [];
    const steps = quitSteps();
    steps.add("start", () => steps.add("late child", () => void seen.push("late child")));
    await steps.run();
    expect(seen).toEqual(["late child"]);
  });
});
