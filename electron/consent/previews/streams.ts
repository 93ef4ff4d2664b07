import * as z from "zod/v4";
import { EventRecord } from "../../../mcp/contract/domain.ts";
import { StreamEventsPage, StreamsPage } from "../../../mcp/contract/tools/streams.ts";
import { shown, shownTime } from "../visible.ts";
import { count, notFound, optionalRow, readAs, type Previewer } from "./read-target.ts";

const RunCount = z.looseObject({ total_count: z.number().int() });

export const deleteStream: Previewer = async (args, read) => {
  const id = String(args["entity_id"]);
  const purge = args["purge"] === true;
  const newest = { entity_id: id, limit: 1, direction: "backward" };
  const { events, total_count: total } = await readAs(
    StreamEventsPage,
    read,
    "ironflow_read_entity_stream",
    newest,
  );
  const found = await readAs(StreamsPage, read, "ironflow_list_entity_streams", { search: id, limit: 500 });
  const stream = found.streams.find((one) => one.entity_id === id);
  if (stream === undefined && total === 0) throw notFound(`entity stream ${id}`);
  const [last] = events;
  const version = stream?.version ?? last?.entity_version;
  const all = count(total, "event");
  return {
    title: purge ? "Delete an entity stream and its events" : "Delete an entity stream",
    consequence: purge
      ? `The stream takes no further events and its ${all} are deleted. Nothing brings them back.`
      : "The stream takes no further events. Nothing brings it back.",
    target: [
      shown("Entity", id),
      ...optionalRow("Type", stream?.entity_type),
      ...optionalRow("Version", version === undefined ? undefined : String(version)),
      shown("Events", String(total)),
      ...(last === undefined ? [] : [shown("Newest", last.name), shownTime("Newest at", last.timestamp)]),
    ],
    effects: [
      "A tombstone ends the stream: every further append is refused.",
      "Its snapshots are deleted; the engine does not say how many.",
      purge
        ? `${all} below the tombstone ${total === 1 ? "is" : "are"} deleted.`
        : `Its ${all} stay readable.`,
    ],
    not_reached: [
      "Read models that were built from the stream stay as they are.",
      "Runs that its events started stay, with their own copy of the data.",
    ],
    watched: { id, total, version: version ?? null, newest: last?.id ?? null },
  };
};

export const redactEvent: Previewer = async (args, read) => {
  const id = String(args["event_id"]);
  const event = await readAs(EventRecord, read, "ironbridge_get_event", { event_id: id });
  if (event.id !== id) throw notFound(`event ${id}`);
  const { total_count: runs } = await readAs(RunCount, read, "ironflow_list_runs", {
    event_id: id,
    limit: 1,
  });
  return {
    title: "Redact an event",
    consequence: "The event's data is replaced by a placeholder, for good.",
    target: [
      shown("Event", event.id),
      shown("Name", event.name),
      shownTime("At", event.timestamp),
      shown("Source", event.source),
      ...optionalRow("Entity", event.entity_id),
    ],
    effects: [
      "1 event's data is replaced. Its name and time stay.",
      event.entity_id === undefined
        ? "It is in no entity stream, so there are no snapshots of it."
        : "Snapshots of its entity that have it in them are deleted; the engine does not say how many.",
    ],
    not_reached: [
      runs === 0
        ? "It has started no run."
        : `${count(runs, "run")} that it started ${runs === 1 ? "keeps its" : "keep their"} copy of the data: each has to be redacted by itself.`,
      "Read models that took the event in stay as they are.",
    ],
    // How many runs it has started may grow by itself; none of them is reached.
    watched: { event },
  };
};
