import type { Database } from "./database.ts";

export interface TopicMessage {
  seq: number;
  id: string;
  environment_id: string;
  topic: string;
  /** JSON text. */
  data: string;
  run_id: string | null;
  created_at: number;
}

/** A message without its data. */
export type TopicPlace = Pick<TopicMessage, "seq" | "id" | "topic" | "created_at">;

export interface TopicRow {
  topic: string;
  messages: number;
  first_seq: number;
  last_seq: number;
  first_at: number;
  last_at: number;
}

export interface TopicTable {
  /** The message's number among all of the store. */
  add(message: Omit<TopicMessage, "seq">): number;
  /** Topics that have messages, in order of name. */
  list(environmentId: string): TopicRow[];
  message(environmentId: string, id: string): TopicMessage | undefined;
  /** Of one topic or of all, those after a number, the oldest first. */
  after(environmentId: string, topic: string | undefined, afterSeq: number, limit: number): TopicPlace[];
  /** Of one topic or of all, the newest first. */
  newest(environmentId: string, topic: string | undefined, limit: number): TopicPlace[];
  get(environmentId: string, topic: string): TopicRow | undefined;
  /** Removes the oldest messages of a topic beyond `keep`. */
  trim(environmentId: string, topic: string, keep: number): void;
}

export function createTopicTable(db: Database): TopicTable {
  const add = db.prepare<{ seq: number }>(
    `insert into topic_messages (id, environment_id, topic, data, run_id, created_at) values (?, ?, ?, ?, ?, ?)
     returning seq`,
  );
  // The first and last message are found in the index, the number is kept by triggers.
  const own = "from topic_messages m where m.environment_id = t.environment_id and m.topic = t.topic";
  const rows = `select t.topic, t.messages,
      (select min(seq) ${own}) as first_seq, (select max(seq) ${own}) as last_seq,
      (select created_at ${own} order by seq limit 1) as first_at,
      (select created_at ${own} order by seq desc limit 1) as last_at
    from topics t where t.environment_id = ?`;
  const list = db.prepare<TopicRow>(`${rows} order by t.topic`);
  const get = db.prepare<TopicRow>(`${rows} and t.topic = ?`);
  const message = db.prepare<TopicMessage>(
    "select * from topic_messages where id = ? and environment_id = ?",
  );
  const columns = "select seq, id, topic, created_at from topic_messages";
  const places = `${columns} where environment_id = ?`;
  // The plus signs make SQLite walk the table in the order of its numbers.
  const afterOfAll = db.prepare<TopicPlace>(
    `${columns} where +environment_id = ? and seq > ? order by seq limit ?`,
  );
  const afterOfOne = db.prepare<TopicPlace>(`${places} and topic = ? and seq > ? order by seq limit ?`);
  const newestOfAll = db.prepare<TopicPlace>(
    `${columns} where +environment_id = ? order by seq desc limit ?`,
  );
  const newestOfOne = db.prepare<TopicPlace>(`${places} and topic = ? order by seq desc limit ?`);
  const count = db.prepare<{ messages: number }>(
    "select messages from topics where environment_id = ? and topic = ?",
  );
  const trim = db.prepare(
    `delete from topic_messages where seq in
       (select seq from topic_messages where environment_id = ? and topic = ? order by seq limit ?)`,
  );
  return {
    add: (m) => add.get(m.id, m.environment_id, m.topic, m.data, m.run_id, m.created_at)?.seq ?? 0,
    list: (environmentId) => list.all(environmentId),
    get: (environmentId, topic) => get.get(environmentId, topic),
    message: (environmentId, id) => message.get(id, environmentId),
    after: (environmentId, topic, afterSeq, limit) =>
      topic === undefined
        ? afterOfAll.all(environmentId, afterSeq, limit)
        : afterOfOne.all(environmentId, topic, afterSeq, limit),
    newest: (environmentId, topic, limit) =>
      topic === undefined
        ? newestOfAll.all(environmentId, limit)
        : newestOfOne.all(environmentId, topic, limit),
    trim: (environmentId, topic, keep) => {
      const surplus = (count.get(environmentId, topic)?.messages ?? 0) - keep;
      if (surplus > 0) trim.run(environmentId, topic, surplus);
    },
  };
}
