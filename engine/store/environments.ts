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

/** The color of an environment that was given none. */
export const DEFAULT_COLOR = "#6b7280";

/** The project that is always there. */
export const DEFAULT_PROJECT = "proj_default";

export interface EnvironmentTable {
  projects(): ProjectRow[];
  addProject(row: ProjectRow): void;
  updateProject(row: ProjectRow): void;
  deleteProject(id: string): void;
  environments(): EnvironmentRow[];
  /** Makes sure that the default project and an environment of this name exist; returns the environment. */
  ensure(name: string, nowMs: number): EnvironmentRow;
  /** By id or name. */
  find(idOrName: string): EnvironmentRow | undefined;
  project(id: string): ProjectRow | undefined;
  /** Makes a new environment; undefined when the name is taken. */
  create(name: string, color: string, projectId: string, nowMs: number): EnvironmentRow | undefined;
  /** Its name and color. False when another environment has the name. */
  update(row: EnvironmentRow): boolean;
  /** Whether functions, events, runs, streams, messages or something else that was made in it belongs to it. */
  isUsed(id: string): boolean;
  /** Removes an environment that is not used and has no keys, with what is left of what it once held. */
  delete(id: string): void;
  keys(environmentId: string): { hash: string; name: string }[];
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
  "topic_messages",
  "consumer_groups",
];

/** Tables that still hold rows of what is gone: an environment that is made under the same id must not see them. */
const LEFT_OVER = [
  "audit",
  "dead_letters",
  "idempotency",
  "function_versions",
  "breakers",
  "run_counts",
  "flow_edges",
  "topics",
  "outbox",
  "webhook_deliveries",
];

export function createEnvironmentTable(db: Database): EnvironmentTable {
  const projects = db.prepare<ProjectRow>("select * from projects order by created_at, id");
  const environments = db.prepare<EnvironmentRow>("select * from environments order by created_at, id");
  const addProject = db.prepare(
    "insert into projects (id, name, org_id, created_at, updated_at) values (?, ?, ?, ?, ?) on conflict do nothing",
  );
  const updateProject = db.prepare("update projects set name = ?, updated_at = ? where id = ?");
  const removeProject = db.prepare("delete from projects where id = ?");
  const get = db.prepare<EnvironmentRow>("select * from environments where id = ?");
  const byName = db.prepare<EnvironmentRow>("select * from environments where name = ?");
  const project = db.prepare<ProjectRow>("select * from projects where id = ?");
  const create = db.prepare(
    "insert into environments (id, name, color, project_id, created_at, updated_at) values (?, ?, ?, ?, ?, ?) on conflict do nothing",
  );
  const update = db.prepare(
    `update environments set name = ?1, color = ?2, updated_at = ?3
     where id = ?4 and not exists (select 1 from environments where name = ?1 and id <> ?4)`,
  );
  const used = db.prepare<{ used: number }>(
    `select ${OWNED.map((table) => `exists (select 1 from ${table} where environment_id = ?1)`).join(" or ")} as used`,
  );
  const remove = db.prepare("delete from environments where id = ?");
  const removeRest = LEFT_OVER.map((table) => db.prepare(`delete from ${table} where environment_id = ?`));
  const keys = db.prepare<{ hash: string; name: string }>(
    "select hash, name from api_keys where environment_id = ? order by created_at, hash",
  );
  const removeKeys = db.prepare("delete from api_keys where environment_id = ?");
  const addKey = db.prepare(
    "insert into api_keys (hash, environment_id, name, created_at) values (?, ?, ?, ?)",
  );
  const ofKey = db.prepare<EnvironmentRow>(
    "select environments.* from api_keys join environments on environments.id = api_keys.environment_id where hash = ?",
  );
  const anyKey = db.prepare<{ n: number }>("select count(*) as n from api_keys");

  /** `env_` and the name, so that it can be guessed from a configuration file; with a number when that one is taken. */
  function freeId(name: string): string {
    for (let n = 1; ; n += 1) {
      const id = n === 1 ? `env_${name}` : `env_${name}_${n}`;
      if (get.get(id) === undefined) return id;
    }
  }

  function add(name: string, color: string, projectId: string, nowMs: number): EnvironmentRow | undefined {
    const id = freeId(name);
    return create.run(id, name, color, projectId, nowMs, nowMs) > 0 ? get.get(id) : undefined;
  }

  return {
    projects: () => projects.all(),
    addProject: (row) => {
      addProject.run(row.id, row.name, row.org_id, row.created_at, row.updated_at);
    },
    updateProject: (row) => {
      updateProject.run(row.name, row.updated_at, row.id);
    },
    deleteProject: (id) => {
      removeProject.run(id);
    },
    environments: () => environments.all(),
    ensure: (name, nowMs) => {
      addProject.run(DEFAULT_PROJECT, "default", "org_default", nowMs, nowMs);
      const row = byName.get(name) ?? add(name, DEFAULT_COLOR, DEFAULT_PROJECT, nowMs);
      if (row === undefined) throw new Error(`environment ${name} could not be made`);
      return row;
    },
    find: (idOrName) => get.get(idOrName) ?? byName.get(idOrName),
    project: (id) => project.get(id),
    create: add,
    update: (row) => update.run(row.name, row.color, row.updated_at, row.id) > 0,
    isUsed: (id) => used.get(id)?.used === 1,
    delete: (id) => {
      for (const statement of removeRest) statement.run(id);
      remove.run(id);
    },
    keys: (id) => keys.all(id),
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
