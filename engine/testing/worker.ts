import type { Worker } from "../execute/workers.ts";
import { ENV } from "./harness.ts";

/** A worker for one function, as the engine knows it; one that has no job and was never heard of. */
export const workerFor = (functionId: string, more: Partial<Worker> = {}): Worker => ({
  id: "w",
  environmentId: ENV,
  hostname: "",
  functionIds: [functionId],
  maxConcurrent: 1,
  labels: {},
  version: {},
  activeJobs: 0,
  registeredAt: 0,
  lastHeartbeat: 0,
  heardElapsedMs: 0,
  ...more,
});
