import * as z from "zod/v4";
import { CONNECT_STATUS, type ConnectCode } from "../contract/errors.ts";
import { ApiError } from "../errors.ts";

/** What a caller is told about a failed call. */
export interface Problem {
  code: ConnectCode;
  status: number;
  /** What REST says instead of the code. */
  restCode: string;
  message: string;
  /** Not the caller's doing: the log gets the cause, the caller only that it happened. */
  internal: boolean;
}

const sqliteFull = 13;
const sqliteBusy = 5;

/** Every error as a Connect code; texts of unexpected errors stay inside. */
export function toProblem(error: unknown): Problem {
  if (error instanceof ApiError) return { ...problem(error.code, error.message), restCode: error.restCode };
  if (error instanceof z.ZodError) return problem("invalid_argument", describeIssue(error));
  const sqlite = error instanceof Error && "errcode" in error ? Number(error.errcode) & 0xff : undefined;
  if (sqlite === sqliteFull) return problem("failed_precondition", "the engine's disk is full", true);
  if (sqlite === sqliteBusy) return problem("unavailable", "the engine's database is busy", true);
  return problem("internal", "internal error", true);
}

function problem(code: ConnectCode, message: string, internal = false): Problem {
  return { code, status: CONNECT_STATUS[code], restCode: code, message, internal };
}

/** `triggers.0.event: …`: where, then what. */
export function describeIssue(error: z.ZodError): string {
  const issue = error.issues[0];
  if (issue === undefined) return "invalid request";
  const path = issue.path.map(String).join(".");
  return path === "" ? issue.message : `${path}: ${issue.message}`;
}
