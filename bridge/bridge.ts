import { rm } from "node:fs/promises";
import { homedir } from "node:os";
import type { Clock } from "../loopback/clock.ts";
import { defaultShell } from "../loopback/shell-defaults.ts";
import { ToBridge, type FromBridge } from "./contract/port.ts";
import { makeLogFolder } from "./log-folder.ts";
import { loginEnvironment } from "./login-environment.ts";
import { answerRequest } from "./obey.ts";
import type { ParentPort } from "./parent-port.ts";
import { problemOf } from "./problem.ts";
import { ScriptFolder } from "./script-folder.ts";
import { serve } from "./server.ts";
import { Sessions } from "./sessions.ts";
import { withoutOurs } from "./terminal-environment.ts";

export interface BridgeOptions {
  token: string;
  /** This life of the app. */
  marker: string;
  /** Where older output goes. */
  logs: string;
  parent: ParentPort;
  clock: Clock;
  now: () => Date;
  problem: (text: string) => void;
}

export interface Bridge {
  /** Resolves when everything is ended and given back, after `shutdown` or when the parent has gone. */
  stopped: Promise<void>;
}

/** Starts the HTTP API and answers the parent. Resolves when it listens. */
export async function startBridge(options: BridgeOptions): Promise<Bridge> {
  const { token, marker, parent, clock, now, problem } = options;
  const post = (message: FromBridge) => {
    parent.post(message);
  };
  const givenUp = new AbortController();
  const scripts = await ScriptFolder.create();
  const logFolder = await makeLogFolder(options.logs).catch((error: unknown) => {
    problem(`older output is kept with the scripts: ${String(error)}`);
    return scripts.folder;
  });
  // Asked at once, so that the first command seldom waits for the person's start-up files.
  const environment = shellEnvironment(givenUp.signal, problem);
  const sessions = new Sessions({
    environment: () => environment,
    scripts,
    logFolder,
    marker,
    clock,
    now,
    problem,
    tell: post,
  });
  const server = await serve({
    token,
    sessions,
    onError: (error) => {
      problem(error instanceof Error ? (error.stack ?? error.message) : String(error));
    },
  });

  let stopping: Promise<void> | undefined;
  const stop = async () => {
    try {
      givenUp.abort();
      await Promise.all([sessions.shutdown(), server.close(), environment]);
    } finally {
      await Promise.all([scripts.dispose(), rm(logFolder, { recursive: true, force: true })]);
    }
  };
  const stopped = new Promise<void>((resolve) => {
    const once = () => {
      stopping ??= stop();
      resolve(stopping);
    };
    parent.onGone(once);
    parent.onMessage((message, port) => {
      const parsed = ToBridge.safeParse(message);
      if (!parsed.success) {
        problem(`message from the app: ${problemOf(parsed.error)}`);
        port?.close();
      } else if (parsed.data.type === "shutdown") once();
      else if (parsed.data.type === "lost") sessions.remember(parsed.data.sessions);
      else void answerRequest(parsed.data, port, { sessions, post, clock, problem }); // never rejects
    });
  });
  post({ type: "listening", url: server.url, folder: scripts.folder });
  return { stopped };
}

async function shellEnvironment(
  signal: AbortSignal,
  problem: (text: string) => void,
): Promise<Record<string, string>> {
  // There a login changes nothing about the environment.
  if (process.platform === "win32") return withoutOurs(process.env);
  const { env, problem: why } = await loginEnvironment({
    shell: defaultShell(process.env),
    cwd: homedir(),
    from: process.env,
    signal,
  });
  if (why !== undefined && !signal.aborted) problem(`terminals get the app's environment: ${why}`);
  return env;
}
