import { setTimeout as sleep } from "node:timers/promises";
import type { DatabaseSync } from "@photostructure/sqlite";
import { loadSecretsKeys } from "../secrets/keys.ts";
import { openSealed } from "../secrets/cipher.ts";
import type { Sealed } from "../store/sealed.ts";
import type { EngineProcess } from "../testing/engine-process.ts";

const SECRET_NAMES = ["SOAK_A", "SOAK_B"] as const;
const CONFIG_NAME = "soak";

/** What a dead engine had on disk of the soak's secrets, opened, and of its configuration. */
export interface SettingSnapshot {
  secrets: { name: string; revision: number; value: string | undefined }[];
  config: number | undefined;
}

export const emptySettings: SettingSnapshot = { secrets: [], config: undefined };

export function readSettings(db: InstanceType<typeof DatabaseSync>, dataDir: string): SettingSnapshot {
  const rows = db
    .prepare(
      "select environment_id, name, revision, key_id, nonce, ciphertext from secrets where name like 'SOAK_%'",
    )
    .all() as ({ environment_id: string; name: string; revision: number } & Sealed)[];
  const keys =
    rows.length === 0
      ? undefined
      : loadSecretsKeys({ dataDir, given: undefined, previous: undefined, file: undefined });
  const [config] = db
    .prepare(
      `select cast(value as text) ->> 'n' as n from kv_entries join kv_buckets on kv_buckets.id = bucket_id
       where name = 'SYS_config' and key = '${CONFIG_NAME}' and latest = 1`,
    )
    .all() as { n: number }[];
  return {
    secrets: rows.map((row) => ({
      name: row.name,
      revision: row.revision,
      value: keys && openSealed(keys, row),
    })),
    config: config?.n,
  };
}

/** One client a secret and one for a configuration: each writes the next value once the last one was answered. */
export interface SettingLoad {
  register(engine: EngineProcess): Promise<void>;
  run(engine: EngineProcess, signal: AbortSignal): Promise<void>;
  /** An acknowledged value is there, or the one that was sent after it. What is wrong, one line each. */
  compare(snapshot: SettingSnapshot): string[];
  counts(): { secrets: number; configs: number };
}

export function createSettingLoad(): SettingLoad {
  /** What was sent last, and what was acknowledged last. */
  const places = new Map<string, { sent: number; acknowledged: number }>();
  const counts = { secrets: 0, configs: 0 };
  const placeOf = (name: string) => {
    const known = places.get(name) ?? { sent: 0, acknowledged: 0 };
    places.set(name, known);
    return known;
  };

  async function write(
    engine: EngineProcess,
    name: string,
    method: string,
    path: string,
    body: (n: number) => object,
  ) {
    const place = placeOf(name);
    const n = (place.sent += 1);
    const response = await fetch(engine.url + path, {
      method,
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body(n)),
    });
    await response.json();
    if (response.status !== 200) throw new Error(`${method} ${path} was answered ${response.status}`);
    place.acknowledged = n;
  }

  const writeSecret = async (engine: EngineProcess, name: string) => {
    await write(engine, name, "PUT", `/api/v1/secrets/${name}`, (n) => ({ value: valueOf(n) }));
    counts.secrets += 1;
  };
  const writeConfig = async (engine: EngineProcess) => {
    await write(engine, CONFIG_NAME, "POST", `/api/v1/config/${CONFIG_NAME}`, (n) => ({ n }));
    counts.configs += 1;
  };

  return {
    register: async (engine) => {
      for (const name of SECRET_NAMES)
        await write(engine, name, "POST", "/api/v1/secrets", (n) => ({ name, value: valueOf(n) }));
      await writeConfig(engine);
    },
    run: async (engine, signal) => {
      const repeat = async (once: () => Promise<void>) => {
        while (!signal.aborted) {
          await once();
          await sleep(10);
        }
      };
      const clients = [
        ...SECRET_NAMES.map((name) => repeat(() => writeSecret(engine, name))),
        repeat(() => writeConfig(engine)),
      ];
      await Promise.all(
        clients.map((client) =>
          client.catch((error: unknown) => {
            if (!(error instanceof TypeError) && !(error instanceof SyntaxError)) throw error;
          }),
        ),
      );
    },
    compare: ({ secrets, config }) => {
      const found: string[] = [];
      const allowed = (name: string) => {
        const { sent, acknowledged } = placeOf(name);
        return Array.from({ length: sent - acknowledged + 1 }, (_, more) => acknowledged + more);
      };
      for (const name of SECRET_NAMES) {
        const row = secrets.find((one) => one.name === name);
        const wanted = allowed(name).filter((n) => n > 0);
        if (wanted.length > 0 && !wanted.map(valueOf).includes(row?.value ?? ""))
          found.push(`secret ${name} is not the acknowledged value ${wanted.join(" or ")}`);
      }
      if (!allowed(CONFIG_NAME).includes(config ?? 0))
        found.push(`the configuration is ${String(config)}, not ${allowed(CONFIG_NAME).join(" or ")}`);
      return found;
    },
    counts: () => ({ ...counts }),
  };
}

const valueOf = (n: number) => `a soaked value ${n}`;
