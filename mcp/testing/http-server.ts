import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { poll } from "../../loopback/testing/poll.ts";

export type HttpServer = { readonly url: string; readonly child: ChildProcess; stop(): Promise<void> };

/** The tool server over HTTP as a real process, found by its port file. `folder` is the test's own. */
export async function httpServer(
  file: string,
  engineUrl: string,
  token: string,
  folder: string,
  more: readonly string[] = [],
): Promise<HttpServer> {
  const portFile = join(folder, `port-${Math.random().toString(36).slice(2)}`);
  const flags = ["--transport", "streamable-http", "--port=0", `--port-file=${portFile}`, ...more];
  const child = spawn(process.execPath, [file, ...flags, "--server-url", engineUrl], {
    env: { IRONFLOW_MCP_BEARER_TOKEN: token },
    stdio: "ignore",
  });
  const exited = once(child, "exit");
  const port = await poll("the port file", () => {
    try {
      return Number(readFileSync(portFile, "utf8")) || undefined;
    } catch {
      return undefined;
    }
  });
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    child,
    async stop() {
      child.kill("SIGTERM");
      await exited;
    },
  };
}
