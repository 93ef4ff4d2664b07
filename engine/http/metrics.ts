import { BreakerState, RunStatus } from "../contract/enums.ts";
import type { Counted } from "../store/totals.ts";
import type { Call } from "./call.ts";

/** What Prometheus reads, version 0.0.4 of its text format. */
export const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

interface Family {
  name: string;
  type: "gauge" | "counter";
  help: string;
  samples: { labels?: Record<string, string>; value: number }[];
}

const one = (value: number) => [{ value }];

/** A sample for each label that is known, also when nothing has it, so that no series comes and goes. */
function each(label: string, known: readonly string[], counted: readonly Counted[]): Family["samples"] {
  const numbers = new Map(counted.map((row) => [row.label, row.n]));
  const labels = new Set([...known, ...numbers.keys()]);
  return [...labels].map((value) => ({ labels: { [label]: value }, value: numbers.get(value) ?? 0 }));
}

/**
 * The engine's metrics as text. They are answered without a key, so they are numbers over all environments and name no
 * function, event or environment.
 */
export function metricsText({ core, server }: Pick<Call, "core" | "server">): string {
  const { totals } = core.store;
  const usage = process.cpuUsage();
  const sql = core.sql.load();
  const workers = core.store.environments
    .environments()
    .reduce((sum, { id }) => sum + core.workers.list(id).length, 0);
  const families: Family[] = [
    {
      name: "ironflow_info",
      type: "gauge",
      help: "1, with the engine's version as a label.",
      samples: [{ labels: { version: server.version }, value: 1 }],
    },
    {
      name: "process_start_time_seconds",
      type: "gauge",
      help: "When the engine started, seconds since 1970.",
      samples: one(server.startedAtMs / 1000),
    },
    {
      name: "process_cpu_seconds_total",
      type: "counter",
      help: "Processor time of the engine's process, seconds.",
      samples: one((usage.user + usage.system) / 1e6),
    },
    {
      name: "process_resident_memory_bytes",
      type: "gauge",
      help: "Resident memory of the engine's process, bytes.",
      samples: one(process.memoryUsage.rss()),
    },
    {
      name: "ironflow_http_requests_total",
      type: "counter",
      help: "Requests answered since the start, by era and HTTP status.",
      samples: server.meters.requests().map(({ kind, status, count }) => ({
        labels: { kind, status: String(status) },
        value: count,
      })),
    },
    {
      name: "ironflow_runs",
      type: "gauge",
      help: "Runs in the store, by status.",
      samples: each("status", RunStatus.options, totals.runsByStatus()),
    },
    { name: "ironflow_events", type: "gauge", help: "Events in the store.", samples: one(totals.events()) },
    {
      name: "ironflow_functions",
      type: "gauge",
      help: "Registered functions.",
      samples: one(totals.functions()),
    },
    { name: "ironflow_workers", type: "gauge", help: "Connected pull workers.", samples: one(workers) },
    {
      name: "ironflow_circuit_breakers",
      type: "gauge",
      help: "Circuit breakers, by state.",
      samples: each("state", BreakerState.options, totals.breakersByState()),
    },
    {
      name: "ironflow_dead_letters",
      type: "gauge",
      help: "Dead letters in the store, by source.",
      samples: each(
        "source",
        ["routing", "resume", "projection_decode", "sql_apply", "system_event_publish"],
        totals.deadLettersBySource(),
      ),
    },
    {
      name: "ironflow_sql_queries",
      type: "gauge",
      help: "SQL queries at this moment, by state.",
      samples: [
        { labels: { state: "running" }, value: sql.running },
        { labels: { state: "waiting" }, value: sql.waiting },
      ],
    },
  ];
  return families.map(familyText).join("");
}

function familyText({ name, type, help, samples }: Family): string {
  const lines = samples.map(({ labels, value }) => `${name}${labelsText(labels)} ${String(value)}`);
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines, ""].join("\n");
}

function labelsText(labels: Record<string, string> = {}): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

const escapeLabel = (value: string) =>
  value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
