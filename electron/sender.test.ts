import { describe, expect, it } from "vitest";
import { isOurFrame } from "./sender.ts";

describe("who sent a message", () => {
  it("is ours when the main frame shows our page, whatever the route within it", () => {
    expect(isOurFrame({ url: "app://ironbridge/index.html", parent: null }, "index.html")).toBe(true);
    expect(isOurFrame({ url: "app://ironbridge/index.html#/runs?x=1", parent: null }, "index.html")).toBe(
      true,
    );
  });

  it.each([
    ["a frame that is gone", null],
    ["a frame within the page", { url: "app://ironbridge/index.html", parent: {} }],
    ["the other window's page", { url: "app://ironbridge/consent.html", parent: null }],
    ["another host", { url: "app://ironbridge.evil/index.html", parent: null }],
    ["another scheme", { url: "https://ironbridge/index.html", parent: null }],
    [
      "an address with a user that looks like our host",
      { url: "app://ironbridge@evil/index.html", parent: null },
    ],
    ["a blank page", { url: "about:blank", parent: null }],
    ["nothing", { url: "", parent: null }],
  ])("is not ours: %s", (_, frame) => {
    expect(isOurFrame(frame, "index.html")).toBe(false);
  });
});
