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
  /** Stores the hash of a key that speaks for an environment. */
  addKey(hash: string, environmentId: string, name: string, nowMs: number): void;
  /** The environment a key speaks for. */
  environmentOfKey(hash: string): EnvironmentRow | undefined;
  hasKeys(): boolean;
}

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
    addKey: (hash, id, name, nowMs) => {
      addKey.run(hash, id, name, nowMs);
    },
    environmentOfKey: (hash) => ofKey.get(hash),
    hasKeys: () => (anyKey.get()?.n ?? 0) > 0,
  };
}
