import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, type Page } from "@playwright/test";
import { errorOf } from "./agents/calls.ts";
import { modernAgent } from "./agents/modern.ts";
import { startEngine, type EngineProcess } from "./engine-process.ts";
import { holdingProxy } from "./holding-proxy.ts";
import { launchApp } from "./launch.ts";
import { waitForQuestion } from "./pages/consent-window.ts";
import { askMain } from "./pages/door.ts";
import { processTree } from "./processes.ts";
import { MOMENTS, switchRound, writeEngines } from "./soak/switch-round.ts";

test.describe("Going from one engine to the other", () => {
  test.skip(process.platform !== "linux", "reads /proc");
  let folder: string;
  let profile: string;
  let other: EngineProcess;

  test.beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "ironbridge-engine-"));
    profile = await mkdtemp(join(tmpdir(), "ironbridge-e2e-"));
    other = await startEngine(folder, 0);
  });
  test.afterAll(async () => {
    await other.stop();
    for (const one of [folder, profile]) await rm(one, { recursive: true, force: true, maxRetries: 5 });
  });

  for (const moment of MOMENTS) {
    test(`[F4] kill -9 in the middle of it (${moment}): one engine is shown after it, keys are intact, no process is left`, async () => {
      await writeEngines(profile, other.url);
      await switchRound(profile, other.url, moment);
    });
  }

  test("[F4] an engine's key is in the environment of its tool server and of no other process, in no command line and not in the page", async () => {
    await rm(join(profile, "engines.json"));
    const app = await launchApp({ userDataDir: profile, flags: ["--allow-writes", "--terminals"] });
    try {
      const { url, key } = other;
      const { pid } = app.connection;
      await app.page.getByRole("navigation").getByRole("link", { name: "Settings" }).click();
      await app.page.getByRole("button", { name: "Add an engine", exact: true }).click();
      const dialog = app.page.getByRole("dialog", { name: "Add an engine" });
      await dialog.getByRole("textbox", { name: "Name" }).fill("Staging");
      await dialog.getByRole("textbox", { name: "Address" }).fill(url);
      await dialog.getByLabel("API key").fill(key);
      await dialog.getByLabel("API key").press("Enter");
      await (await waitForQuestion(app, "Add an engine")).approve();
      await expect(dialog).toHaveCount(0);
      expect(await holders(pid, key), "before it is used").toEqual([]);

      const added = (await askMain(app.page, "engines:list", {})).find((engine) => engine.url === url);
      await askMain(app.page, "engines:switch", { id: added?.id ?? "" });
      const ofStaging = expect.stringContaining(`--server-url=${url}`);
      await expect.poll(() => holders(pid, key)).toEqual([ofStaging]);
      // The embedded engine and the bridge have theirs, and the page has none.
      const secrets = await secretsOfChildren(pid);
      expect(secrets).toHaveLength(3);
      const heap = await heapOf(app.page);
      expect(heap.includes(url)).toBe(true);
      for (const secret of [...secrets, app.token, key]) expect(heap.includes(secret)).toBe(false);

      await askMain(app.page, "engines:switch", { id: "local" });
      await expect.poll(() => holders(pid, key), "after it is left").toEqual([]);
    } finally {
      await app.close();
    }
  });

  test("[F4] a key that the person gives in the app's environment reaches no page and no child but the tool server", async () => {
    const app = await launchApp({
      flags: [`--server-url=${other.url}`],
      env: { IRONFLOW_API_KEY: other.key },
    });
    try {
      const { pid } = app.connection;
      const children = async () => (await holders(pid, other.key, pid)).map((line) => line.split(" ")[1]);
      await expect.poll(async () => (await children()).length).toBe(1);
      expect(await holders(pid, other.key, pid)).toEqual([expect.stringContaining("mcp-server")]);
      expect((await heapOf(app.page)).includes(other.key)).toBe(false);
    } finally {
      await app.close();
    }
  });

  for (const answered of [true, false]) {
    test(`[F4] two switches at once while an approved call is under way: it is done once, ${answered ? "and the agent hears so" : "or said to be of unknown outcome"}, never on the other engine`, async () => {
      const value = `put while engines change, ${answered ? "answered" : "lost"}`;
      const at = { bucket: answered ? "answered" : "lost", key: "put-once" };
      const made = await fetch(`${other.url}/api/v1/kv/buckets`, {
        method: "POST",
        headers: { Authorization: `Bearer ${other.key}`, "Content-Type": "application/json" },
        body: JSON.stringify({ name: at.bucket }),
      });
      expect([200, 201], await made.text()).toContain(made.status);
      const proxy = await holdingProxy(other.url, value);
      const app = await launchApp({
        flags: [`--server-url=${proxy.url}`, "--allow-writes"],
        env: { IRONFLOW_API_KEY: other.key },
      });
      try {
        const agent = await modernAgent(app.connection.mcp.url, app.token);
        await expect.poll(async () => (await agent.call("ironflow_list_runs")).isError).toBe(false);
        const call = agent.call("ironflow_kv_put", { ...at, text: value });
        await (await waitForQuestion(app, at.key)).approve();
        await expect.poll(() => proxy.seen).toBe(1);
        const go = (id: string) => askMain(app.page, "engines:switch", { id });
        await Promise.all([go("local"), go("remote")]);
        await Promise.all([go("remote"), go("local")]);
        proxy.release(answered);
        const result = await call;
        if (answered) {
          expect(result.isError, result.text).toBe(false);
          expect(JSON.stringify(result.meta)).toContain(proxy.url);
        } else expect(JSON.stringify(errorOf(result))).toContain("It is not known whether");
        expect(proxy.seen).toBe(1);

        // The window ended on the embedded engine, which has nothing of it; the other one has it once.
        const read = () => agent.call("ironflow_kv_get", at);
        await expect.poll(async () => JSON.stringify((await read()).meta)).toContain('"embedded"');
        expect((await read()).isError).toBe(true);
        await go("remote");
        await expect.poll(async () => JSON.stringify((await read()).meta)).toContain(proxy.url);
        await expect.poll(async () => (await read()).text).toContain(value);
        expect((await read()).structured).toMatchObject({ revision: 1 });
        await agent.close();
      } finally {
        await app.close();
        await proxy.close();
      }
    });
  }
});

/** The processes below main in whose environment or command line a secret stands, by their command lines. */
async function holders(root: number, secret: string, but?: number): Promise<string[]> {
  const found: string[] = [];
  for (const { pid, command } of await processTree(root)) {
    const environ = pid === but ? "" : await readFile(`/proc/${pid}/environ`, "latin1").catch(() => "");
    if (environ.includes(secret) || command.includes(secret)) found.push(command);
  }
  return found;
}

/** The keys and tokens that the children were given. */
async function secretsOfChildren(root: number): Promise<string[]> {
  const found = new Set<string>();
  for (const { pid } of await processTree(root)) {
    const environ = await readFile(`/proc/${pid}/environ`, "latin1").catch(() => "");
    for (const [, value = ""] of environ.matchAll(/(?:^|\0)IRON[A-Z_]*_(?:KEY|TOKEN)=([^\0]+)/g))
      found.add(value);
  }
  return [...found];
}

/** All strings that a page can still reach, and more. */
async function heapOf(page: Page): Promise<string> {
  const session = await page.context().newCDPSession(page);
  const chunks: string[] = [];
  session.on("HeapProfiler.addHeapSnapshotChunk", ({ chunk }) => chunks.push(chunk));
  await session.send("HeapProfiler.collectGarbage");
  await session.send("HeapProfiler.takeHeapSnapshot", { reportProgress: false });
  await session.detach();
  return chunks.join("");
}
