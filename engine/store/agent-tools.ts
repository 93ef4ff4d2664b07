import type { Database } from "./database.ts";
import type { Sealed } from "./sealed.ts";

/** An application that serves tools. The key it shares with the engine is stored encrypted, as secrets are. */
export interface AgentRow extends Sealed {
  environment_id: string;
  name: string;
  /** Who registered it, and alone may do so again. */
  owner: string;
  callback_url: string;
  /** Grows by one with each registration. */
  revision: number;
  registered_at: number;
}

export interface AgentToolRow {
  environment_id: string;
  agent: string;
  /** `agent.tool`. */
  qualified_name: string;
  description: string;
  /** JSON text. */
  schema: string;
  /** JSON text of an array. */
  scopes: string;
  timeout_ms: number;
}

export interface AgentToolTable {
  agent(environmentId: string, name: string): AgentRow | undefined;
  tool(environmentId: string, qualifiedName: string): AgentToolRow | undefined;
  /** Tools with a greater name than `after`, in order. */
  list(environmentId: string, after: string, limit: number): AgentToolRow[];
  count(environmentId: string): number;
  /** Takes the place of what the agent had before. */
  put(agent: AgentRow, tools: readonly AgentToolRow[]): void;
  /** How many tools went. */
  delete(environmentId: string, name: string): number;
}

export function createAgentToolTable(db: Database): AgentToolTable {
  const agent = db.prepare<AgentRow>("select * from agents where environment_id = ? and name = ?");
  const tool = db.prepare<AgentToolRow>(
    "select * from agent_tools where environment_id = ? and qualified_name = ?",
  );
  const list = db.prepare<AgentToolRow>(
    "select * from agent_tools where environment_id = ? and qualified_name > ? order by qualified_name limit ?",
  );
  const count = db.prepare<{ n: number }>("select count(*) as n from agent_tools where environment_id = ?");
  const putAgent = db.prepare(
    `insert or replace into agents (environment_id, name, owner, callback_url, revision, key_id, nonce, ciphertext, registered_at)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const putTool = db.prepare(
    `insert into agent_tools (environment_id, agent, qualified_name, description, schema, scopes, timeout_ms)
     values (?, ?, ?, ?, ?, ?, ?)`,
  );
  const removeAgent = db.prepare("delete from agents where environment_id = ? and name = ?");
  const removeTools = db.prepare("delete from agent_tools where environment_id = ? and agent = ?");
  return {
    agent: (environmentId, name) => agent.get(environmentId, name),
    tool: (environmentId, name) => tool.get(environmentId, name),
    list: (environmentId, after, limit) => list.all(environmentId, after, limit),
    count: (environmentId) => count.get(environmentId)?.n ?? 0,
    put: (r, tools) => {
      removeTools.run(r.environment_id, r.name);
      putAgent.run(
        r.environment_id,
        r.name,
        r.owner,
        r.callback_url,
        r.revision,
        r.key_id,
        r.nonce,
        r.ciphertext,
        r.registered_at,
      );
      for (const t of tools) {
        putTool.run(
          t.environment_id,
          t.agent,
          t.qualified_name,
          t.description,
          t.schema,
          t.scopes,
          t.timeout_ms,
        );
      }
    },
    delete: (environmentId, name) => {
      removeAgent.run(environmentId, name);
      return removeTools.run(environmentId, name);
    },
  };
}
