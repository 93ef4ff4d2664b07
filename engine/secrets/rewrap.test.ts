import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createHarness, ENV, type Harness } from "../testing/harness.ts";
import { CreateSourceRequest } from "../contract/webhooks.ts";
import { createSource, currentSecrets, findSource, rotateSecret } from "../webhooks/sources.ts";
import { openSealed } from "./cipher.ts";
import { secretsKeysOf, toSecretsKey, type SecretsKey } from "./keys.ts";
import { createSecret, resolveSecrets } from "./secrets.ts";

const key = (byte: number) => toSecretsKey(Buffer.alloc(32, byte));
const [old, fresh, foreign] = [key(1), key(2), key(3)];

let engine: Harness;
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "rewrap-"));
  await start(old);
});

afterEach(async () => {
  await engine.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

async function start(current: SecretsKey, ...others: SecretsKey[]): Promise<void> {
  engine = await createHarness({
    file: join(folder, "engine.db"),
    secretsKeys: secretsKeysOf(current, others),
  });
}

async function restart(current: SecretsKey, ...others: SecretsKey[]): Promise<void> {
  await engine.stop();
  await start(current, ...others);
}

/** Every encrypted value as `name revision = value`, or `-` where no key of the engine opens it. */
const values = () =>
  engine.core.store.sealed
    .notUnder("none")
    .map((row) => `${row.name} ${row.revision} = ${openSealed(engine.core.secretsKeys, row) ?? "-"}`)
    .toSorted();

it("stores every encrypted value anew under a new key, and overwrites none that no key opens", async () => {
  const { core } = engine;
  await engine.change((tx) => createSecret(core, tx, ENV, { name: "TOKEN", value: "hunter2" }));
  const { source } = await engine.change((tx) =>
    createSource(
      core,
      tx,
      ENV,
      CreateSourceRequest.parse({ provider: "stripe", verifySecret: "older-secret-1234" }),
    ),
  );
  await engine.change((tx) =>
    rotateSecret(core, tx, ENV, { id: source.id, verifySecret: "newer-secret-1234" }),
  );
  const { hmacSecret } = await core.agentTools.register(
    {
      environmentId: ENV,
      name: "key:1",
      apiKeyId: "key:1",
      scopes: undefined,
      gone: new AbortController().signal,
    },
    { agentName: "shop", callbackUrl: "http://127.0.0.1:1/x", tools: [{ name: "look" }] },
  );
  const all = [
    "TOKEN 1 = hunter2",
    `agent:shop 1 = ${hmacSecret}`,
    `webhook:${source.id} 1 = older-secret-1234`,
    `webhook:${source.id} 2 = newer-secret-1234`,
  ];
  expect(values()).toEqual(all);

  await restart(fresh, old);
  expect(engine.core.store.sealed.anyNotUnder(fresh.id)).toBe(false);
  await restart(fresh);
  expect(values()).toEqual(all);
  expect(resolveSecrets(engine.core, ENV, ["TOKEN"])).toEqual({ values: { TOKEN: "hunter2" } });
  expect(currentSecrets(engine.core, findSource(engine.core, ENV, source.id), engine.clock.nowMs())).toEqual([
    { secret: "newer-secret-1234", isPrevious: false },
    { secret: "older-secret-1234", isPrevious: true },
  ]);

  await restart(foreign);
  expect(engine.core.store.sealed.anyNotUnder(foreign.id)).toBe(true);
  expect(values()).toEqual(all.map((line) => line.replace(/= .*/, "= -")));
  await restart(fresh);
  expect(values()).toEqual(all);
});
