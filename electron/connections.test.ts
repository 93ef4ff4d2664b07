import { describe, expect, it } from "vitest";
import { launchSwitches } from "./connections.ts";

const none = { allowWrites: false, terminals: false };
const OURS = true;
const REMOTE = false;
const switches = (personMayWrite: boolean, agentsMayWrite: boolean, terminals: boolean) => ({
  personMayWrite,
  agentsMayWrite,
  terminals,
});

describe("who may write when the app starts", () => {
  it.each([
    ["the person, on the embedded engine", OURS, none, undefined, switches(true, false, true)],
    ["nobody, on another engine", REMOTE, none, undefined, switches(false, false, false)],
    [
      "everybody, with --allow-writes",
      REMOTE,
      { ...none, allowWrites: true },
      undefined,
      switches(true, true, false),
    ],
    [
      "everybody, with --allow-writes whatever was decided",
      OURS,
      { ...none, allowWrites: true },
      { person: false, agents: false },
      switches(true, true, true),
    ],
    [
      "whom the person has allowed",
      REMOTE,
      none,
      { person: true, agents: true },
      switches(true, true, false),
    ],
    ["not whom the person has forbidden", OURS, none, { person: false }, switches(false, false, true)],
    [
      "nobody, on another engine with --terminals",
      REMOTE,
      { ...none, terminals: true },
      undefined,
      switches(false, false, true),
    ],
  ])("%s", (_, embedded, flags, kept, expected) => {
    expect(launchSwitches(embedded, flags, kept)).toEqual(expected);
  });
});
