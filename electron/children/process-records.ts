/** Who is told of every child, so that it can be ended when main dies (the reaper). */
export interface ProcessRecords {
  started(pid: number): void;
  ended(pid: number): void;
}
