import type { ListeningAt } from "../../loopback/listen.ts";
import { serve } from "../server.ts";
import type { Terminals } from "./terminals.ts";

/** A server of a test's terminals. */
export interface TerminalServer extends ListeningAt {
  /** @throws when it had faults of its own; nothing that a client sends may cause one */
  noFaults(): void;
  close(): Promise<void>;
}

export async function serveTerminals({ sessions }: Terminals, token: string): Promise<TerminalServer> {
  const faults: unknown[] = [];
  const server = await serve({ token, sessions, onError: (error) => void faults.push(error) });
  const { port, host, url } = server;
  return {
    port,
    host,
    url,
    noFaults: () => {
      if (faults.length > 0) throw new AggregateError(faults, "the server had faults");
    },
    close: () => server.close(),
  };
}
