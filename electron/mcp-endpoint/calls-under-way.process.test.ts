import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { gate } from "../../loopback/testing/gate.ts";
import { startFixture } from "./testing/endpoint-fixture.ts";
import { echoCall, openSession, postTo } from "./testing/raw-requests.ts";

let endpoint: Awaited<ReturnType<typeof startFixture>>;
/** Lets every call answer. */
let end: () => void;
let session: Record<string, string>;

beforeEach(() => start());
afterEach(async () => {
  end();
  await endpoint.close();
});

async function start(options: { requestsPerCaller?: number } = {}): Promise<void> {
  const ended = gate();
  end = () => ended.open();
  endpoint = await startFixture({
    ...options,
    call: ({ signal }) =>
      new Promise((resolve) => {
        const answer = () => resolve({ content: [{ type: "text", text: "done" }] });
        signal.addEventListener("abort", answer);
        void ended.opened.then(answer);
      }),
  });
  session = await openSession(endpoint.url);
}

const post = (body: string, headers = session) => postTo(endpoint.url, body, headers);
const cancelled = (requestId: unknown) =>
  JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } });

describe("a call that goes on", () => {
  it("loses its HTTP answer when it is cancelled, so that no connection stays behind", async () => {
    const [one, two] = await Promise.all([post(echoCall(2)), post(echoCall(3))]);
    expect((await post(cancelled(2))).status).toBe(202);
    expect(await one.text()).toBe("");
    end();
    expect(await two.text()).toContain("done");
  });

  it("loses it in a batch when the others of it are cancelled or answered", async () => {
    const batch = await post(`[${echoCall(2)},${echoCall(3)}]`);
    await post(cancelled(2));
    await post(cancelled(3));
    expect(await batch.text()).toBe("");
    const withPing = await post(`[${echoCall(2)},{"jsonrpc":"2.0","id":3,"method":"ping"}]`);
    await post(cancelled(2));
    expect(await withPing.text()).toContain('"id":3');
  });

  it("is not touched by what another session cancels", async () => {
    const going = await post(echoCall(2));
    const other = await openSession(endpoint.url);
    for (const id of [2, "2", null, {}]) await post(cancelled(id), other);
    end();
    expect(await going.text()).toContain("done");
  });

  it("keeps its id for itself, and gives it free with its answer", async () => {
    const first = await post(echoCall(2));
    expect((await post(echoCall(2))).status).toBe(400);
    expect((await post(`[${echoCall(5)},${echoCall(5)}]`)).status).toBe(400);
    expect((await post(echoCall(2), await openSession(endpoint.url))).status).toBe(200);
    end();
    expect(await first.text()).toContain("done");
    expect((await post(echoCall(2))).status).toBe(200);
  });

  it("leaves connections for other callers, however many of its kind its caller has", async () => {
    await endpoint.close();
    await start({ requestsPerCaller: 2 });
    await Promise.all([post(echoCall(2)), post(echoCall(3))]);
    const third = await post(echoCall(4));
    expect(third.status).toBe(429);
    expect(third.headers.get("retry-after")).not.toBeNull();
    await openSession(endpoint.url, "ibk_writer-token");
  });
});
