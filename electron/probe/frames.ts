import type { ProbeEra, ProbeFrame } from "../contract/probe.ts";

/** Kept of one message, in UTF-16 code units. */
export const FRAME_CHARS = 64_000;
/** Frames that wait to be shown; the oldest go first. */
export const MAX_FRAMES = 500;

/** Headers that say who one is. */
const SECRET_HEADERS = new Set(["authorization", "mcp-session-id", "cookie", "set-cookie"]);
const MASK = "••••";

export interface FrameLog {
  /** `fetch` that notes what goes out and what comes in. */
  fetchAs(era: ProbeEra): typeof fetch;
  /** What was noted since the last time. */
  take(): ProbeFrame[];
}

/**
 * Notes HTTP messages as they pass, streams event by event, and never a secret.
 * @param secrets texts that are masked wherever they appear
 * @param nowMs since the beginning of the test
 */
export function frameLog(secrets: readonly string[], nowMs: () => number): FrameLog {
  let frames: ProbeFrame[] = [];
  const masked = (text: string) => secrets.reduce((left, secret) => left.replaceAll(secret, MASK), text);

  function note(frame: Omit<ProbeFrame, "at_ms">): void {
    const text = masked(frame.text);
    const cut = text.length - FRAME_CHARS;
    frames.push({
      ...frame,
      at_ms: Math.round(nowMs() * 10) / 10,
      text: cut > 0 ? `${text.slice(0, FRAME_CHARS)}… and ${cut} more characters` : text,
    });
    if (frames.length > MAX_FRAMES) frames = frames.slice(-MAX_FRAMES);
  }

  const headersOf = (headers: Headers) =>
    Object.fromEntries(
      [...headers].map(([name, value]) => [name, SECRET_HEADERS.has(name) ? MASK : masked(value)]),
    );

  return {
    fetchAs: (era) => async (input, init) => {
      const request = new Request(input, init);
      const body = typeof init?.body === "string" ? init.body : "";
      const { pathname } = new URL(request.url);
      note({
        era,
        direction: "sent",
        head: `${request.method} ${pathname}`,
        headers: headersOf(request.headers),
        text: body,
      });
      const response = await fetch(input, init);
      const received = { era, direction: "received", headers: headersOf(response.headers) } as const;
      if (response.body === null) {
        note({ ...received, head: String(response.status), text: "" });
        return response;
      }
      const stream = (response.headers.get("content-type") ?? "").startsWith("text/event-stream");
      if (stream) note({ ...received, head: `${response.status} stream`, text: "" });
      const decoder = new TextDecoder();
      let text = "";
      const tap = new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          controller.enqueue(chunk);
          text += decoder.decode(chunk, { stream: true });
          if (!stream) return;
          const events = text.split("\n\n");
          text = events.pop() ?? "";
          for (const event of events)
            if (event.trim() !== "")
              note({ era, direction: "received", head: "event", headers: {}, text: event });
        },
        flush() {
          if (!stream) note({ ...received, head: String(response.status), text });
        },
      });
      return new Response(response.body.pipeThrough(tap), {
        status: response.status,
        statusText: response.statusText,
        headers: response.headers,
      });
    },
    take() {
      const taken = frames;
      frames = [];
      return taken;
    },
  };
}
