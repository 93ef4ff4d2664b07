import type { ProbeEra, ProbeTool } from "../contract/probe.ts";

/** An agent's client of one era, as far as a test needs it. */
export interface ProbeClient {
  readonly era: ProbeEra;
  readonly revision: string | undefined;
  readonly server: string | undefined;
  listTools(): Promise<ProbeTool[]>;
  /** The result as the client hands it to its agent. Rejects where the client would. */
  call(tool: string, args: Record<string, unknown>, signal: AbortSignal): Promise<unknown>;
  close(): Promise<void>;
}

export interface ProbeTarget {
  readonly url: string;
  readonly token: string;
  readonly version: string;
  readonly fetch: typeof fetch;
}

/** A person may think: longer than any question waits, in ms. */
export const CALL_MS = 10 * 60_000;

/** How the test introduces itself. */
export const clientInfo = (version: string) => ({ name: "ironbridge-test-as-an-agent", version });

export const bearer = ({ token }: ProbeTarget) => ({ headers: { authorization: `Bearer ${token}` } });
