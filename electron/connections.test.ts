import { describe, expect, it } from "vitest";
import { launchSwitches } from "./connections.ts";

const none = { allowWrites: false, terminals: false };
const remote = { ...none, serverUrl: "https://engine.example" };
const switches = (personMayWrite: boolean, agentsMayWrite: boolean, terminals: boolean) => ({
  personMayWrite,
  agentsMayWrite,
  terminals,
});

describe("who may write when the app starts", () => {
  it.each([
    ["the person, on the embedded engine", none, undefined, switches(true, false, true)],
    ["nobody, on another engine", remote, undefined, switches(false, false, false)],
    [
      "everybody, with --allow-writes",
      { ...remote, allowWrites: true },
      undefined,
      switches(true, true, false),
    ],
    [
      "everybody, with --allow-writes whatever was decided",
      { ...none, allowWrites: true },
      { person: false, agents: false },
      switches(true, true, true),
    ],
    ["whom the person has allowed", remote, { person: true, agents: true }, switches(true, true, false)],
    ["not whom the person has forbidden", none, { person: false }, switches(false, false, true)],
    [
      "nobody, on another engine with --terminals",
      { ...remote, terminals: true },
      undefined,
      switches(false, false, true),
    ],
  ])("%s", (_, flags, kept, expected) => {
    expect(launchSwitches(flags, kept)).toEqual(expected);
  });
});
