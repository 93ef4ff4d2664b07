/** What a client of the handshake era sends, request by request, where a test needs its hands on each of them. */

export const INITIALIZE = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
});

/** Calls the fixture's echo. */
export const echoCall = (id: number): string =>
  JSON.stringify({
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: { name: "fixture_echo", arguments: { text: "x" } },
  });

/** As the reader, in JSON and without a session, but for what `headers` say. */
export const postTo = (
  url: string,
  body: string,
  headers: Readonly<Record<string, string>> = {},
  signal: AbortSignal | null = null,
): Promise<Response> =>
  fetch(url, {
    method: "POST",
    body,
    signal,
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      authorization: "Bearer ibk_reader-token",
      ...headers,
    },
  });

/** Shakes hands. @returns the headers that name the session. @throws when it is refused */
export async function openSession(url: string, token = "ibk_reader-token"): Promise<Record<string, string>> {
  const answer = await postTo(url, INITIALIZE, { authorization: `Bearer ${token}` });
  await answer.text();
  const id = answer.headers.get("mcp-session-id");
  if (answer.status !== 200 || id === null) throw new Error(`no session: ${answer.status}`);
  return { "mcp-session-id": id, "mcp-protocol-version": "2025-06-18" };
}
