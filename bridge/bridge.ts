import { homedir } from "node:os";
import type { Clock } from "../loopback/clock.ts";
import { ToBridge } from "./contract/port.ts";
import { loginEnvironment } from "./login-environment.ts";
import type { ParentPort } from "./parent-port.ts";
import { problemOf } from "./problem.ts";
import { ScriptFolder } from "./script-folder.ts";
import { serve } from "./server.ts";
import { defaultShell } from "./session-plan.ts";
import { Sessions } from "./sessions.ts";
import type { TabPort } from "./tab.ts";
import { withoutOurs } from "./terminal-environment.ts";

export interface BridgeOptions {
  token: string;
  /** This life of the app. */
  marker: string;
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
  const givenUp = new AbortController();
  const scripts = await ScriptFolder.create();
  // Asked at once, so that the first command seldom waits for the person's start-up files.
  const environment = shellEnvironment(givenUp.signal, problem);
  const sessions = new Sessions({
    environment: () => environment,
    scripts,
    marker,
    clock,
    now,
    problem,
    tell: (message) => {
      parent.post(message);
    },
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
      await scripts.dispose();
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
      if (!parsed.success) problem(`message from the app: ${problemOf(parsed.error)}`);
      else if (parsed.data.type === "shutdown") once();
      else if (parsed.data.type === "lost") sessions.remember(parsed.data.sessions);
      else
        obey(parsed.data, port, sessions, parent).catch((error: unknown) => {
          // Whoever asked is told nothing rather than something that was not seen.
          problem(`${parsed.data.type}: ${String(error)}`);
        });
    });
  });
  parent.post({ type: "listening", url: server.url, folder: scripts.folder });
  return { stopped };
}

async function obey(
  message: Exclude<ToBridge, { type: "shutdown" | "lost" }>,
  port: TabPort | undefined,
  sessions: Sessions,
  parent: ParentPort,
): Promise<void> {
  const { session_id } = message;
  switch (message.type) {
    case "attach": {
      const attached = port !== undefined && sessions.attach(session_id, port);
      if (!attached) port?.close();
      parent.post({ type: "attached", session_id, attached });
      return;
    }
    case "stop": {
      const response = (await sessions.stop(session_id, { atOnce: message.at_once === true })) ?? null;
      parent.post({ type: "stopped", session_id, response });
      return;
    }
    case "restart":
      parent.post({ type: "restarted", session_id, started: await sessions.restart(session_id) });
      return;
    case "save": {
      const problem = await sessions.save(session_id, message.format, message.path);
      parent.post({ type: "saved", session_id, problem });
      return;
    }
    case "rename":
      parent.post({ type: "renamed", session_id, renamed: sessions.rename(session_id, message.name) });
      return;
    case "show_command":
      parent.post({ type: "command", session_id, command: sessions.command(session_id) });
      return;
    case "close":
      parent.post({ type: "closed", session_id, closed: await sessions.close(session_id) });
      return;
  }
}

async function shellEnvironment(
  signal: AbortSignal,
  problem: (text: string) => void,
): Promise<Record<string, string>> {
  // There a login changes nothing about the environment.
  if (process.platform === "win32") return withoutOurs(process.env);
  const { env, problem: why } = await loginEnvironment({
    shell: defaultShell(process.env["SHELL"]),
    cwd: homedir(),
    from: process.env,
    signal,
  });
  if (why !== undefined && !signal.aborted) problem(`terminals get the app's environment: ${why}`);
  return env;
}
