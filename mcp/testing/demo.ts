import { spawn } from "node:child_process";
import { once } from "node:events";
import { bundleEntry } from "../../loopback/testing/bundle.ts";
import { poll } from "../../loopback/testing/poll.ts";
import type { RealEngine } from "./real-engine.ts";

/** The order shop on a running engine, as `--demo` starts it. Resolves when its day has begun. */
export async function startDemo({ url, apiKey }: RealEngine): Promise<{ stop(): Promise<void> }> {
  const bundle = await bundleEntry(new URL("../../engine/demo/main.ts", import.meta.url));
  const child = spawn(process.execPath, [bundle.file], {
    stdio: ["pipe", "pipe", "ignore"],
    env: { PATH: process.env["PATH"] ?? "", IRONFLOW_SERVER_URL: url, IRONFLOW_API_KEY: apiKey },
  });
  const gone = once(child, "exit");
  let said = "";
  child.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()));
  await poll("the demo's ready line", () => {
    if (child.exitCode !== null) throw new Error(`the demo ended with ${child.exitCode}`);
    return said.includes("demo ready");
  });
  return {
    stop: async () => {
      child.stdin.end();
      await gone;
      await bundle.remove();
    },
  };
}
