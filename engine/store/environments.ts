import type { Database } from "./database.ts";

export interface ProjectRow {
  id: string;
  name: string;
  org_id: string;
  created_at: number;
  updated_at: number;
}

export interface EnvironmentRow {
  id: string;
  name: string;
  color: string;
  project_id: string;
  created_at: number;
  updated_at: number;
}

export interface EnvironmentTable {
  projects(): ProjectRow[];
  environments(): EnvironmentRow[];
  /** Makes sure that the default project and the named environment exist; returns the environment. */
  ensure(name: string, nowMs: number): EnvironmentRow;
  /** By id or name. */
  find(idOrName: string): EnvironmentRow | undefined;
  project(id: string): ProjectRow | undefined;
  /** Makes a new environment; undefined when the name is taken. */
  create(name: string, color: string, projectId: string, nowMs: number): EnvironmentRow | undefined;
  recolor(id: string, color: string, nowMs: number): void;
  /** Whether functions, events, runs or streams belong to it. */
  isUsed(id: string): boolean;
  /** Removes an environment that is not used, with its keys. */
  delete(id: string): void;
  deleteKeys(environmentId: string): void;
  /** Stores the hash of a key that speaks for an environment. */
  addKey(hash: string, environmentId: string, name: string, nowMs: number): void;
  /** The environment a key speaks for. */
  environmentOfKey(hash: string): EnvironmentRow | undefined;
  hasKeys(): boolean;
}

/** Tables whose rows belong to an environment. */
const OWNED = [
  "functions",
  "events",
  "runs",
  "kv_buckets",
  "streams",
  "projections",
  "secrets",
  "agents",
  "webhook_sources",
  "consumer_groups",
];

/** Environment ids are `env_` and the name, so that they can be guessed from a configuration file. */
function environmentId(name: string): string {
  return `env_${name}`;
}

export function createEnvironmentTable(db: Database): EnvironmentTable {
  const projects = db.prepare<ProjectRow>("select * from projects order by created_at, id");
  const environments = db.prepare<EnvironmentRow>("select * from environments order by created_at, id");
  const addProject = db.prepare(
    "insert into projects (id, name, org_id, created_at, updated_at) values ('proj_default', 'default', 'org_default', ?, ?) on conflict do nothing",
  );
  const addEnvironment = db.prepare(
    "insert into environments (id, name, color, project_id, created_at, updated_at) values (?, ?, '#6b7280', 'proj_default', ?, ?) on conflict do nothing",
  );
  const get = db.prepare<EnvironmentRow>("select * from environments where id = ?");
  const find = db.prepare<EnvironmentRow>("select * from environments where id = ?1 or name = ?1");
  const project = db.prepare<ProjectRow>("select * from projects where id = ?");
  const create = db.prepare(
    "insert into environments (id, name, color, project_id, created_at, updated_at) values (?, ?, ?, ?, ?, ?) on conflict do nothing",
  );
  const recolor = db.prepare("update environments set color = ?, updated_at = ? where id = ?");
  const used = db.prepare<{ used: number }>(
    `select ${OWNED.map((table) => `exists (select 1 from ${table} where environment_id = ?1)`).join(" or ")} as used`,
  );
  const remove = db.prepare("delete from environments where id = ?");
  const removeKeys = db.prepare("delete from api_keys where environment_id = ?");
  const addKey = db.prepare(
    "insert into api_keys (hash, environment_id, name, created_at) values (?, ?, ?, ?)",
  );
  const ofKey = db.prepare<EnvironmentRow>(
    "select environments.* from api_keys join environments on environments.id = api_keys.environment_id where hash = ?",
  );
  const anyKey = db.prepare<{ n: number }>("select count(*) as n from api_keys");
  return {
    projects: () => projects.all(),
    environments: () => environments.all(),
    ensure: (name, nowMs) => {
      const id = environmentId(name);
      addProject.run(nowMs, nowMs);
      addEnvironment.run(id, name, nowMs, nowMs);
      const row = get.get(id);
      if (row === undefined) throw new Error(`environment ${name} could not be made`);
      return row;
    },
    find: (idOrName) => find.get(idOrName),
    project: (id) => project.get(id),
    create: (name, color, projectId, nowMs) => {
      const id = environmentId(name);
      return create.run(id, name, color, projectId, nowMs, nowMs) > 0 ? get.get(id) : undefined;
    },
    recolor: (id, color, nowMs) => {
      recolor.run(color, nowMs, id);
    },
    isUsed: (id) => used.get(id)?.used === 1,
    delete: (id) => {
      removeKeys.run(id);
      remove.run(id);
    },
    deleteKeys: (id) => {
      removeKeys.run(id);
    },
    addKey: (hash, id, name, nowMs) => {
      addKey.run(hash, id, name, nowMs);
    },
    environmentOfKey: (hash) => ofKey.get(hash),
    hasKeys: () => (anyKey.get()?.n ?? 0) > 0,
  };
}
