import * as z from "zod/v4";
import { RunStatus } from "../../../engine/contract/enums.ts";
import { Timestamp } from "../../../engine/contract/ids.ts";
import { jsonObject } from "../../../engine/contract/json-object.ts";

/** Arguments that several tools share. One thing has one name in every tool. */

/** Ids of runs and events: what the engines make, and what their own SDKs insist on. */
const ENGINE_ID = /^[A-Za-z0-9_-]+$/;

const id = (what: string) =>
  z.string().min(1).max(256).regex(ENGINE_ID, `must be ${what}: letters, digits, "_" and "-" only`);

export const runIdField = id("a run id").describe(
  "Id of the run, for example run_01h…, as ironflow_list_runs gives it.",
);

export const functionIdField = z
  .string()
  .min(1)
  .max(256)
  .describe("Id of the function, exactly as ironflow_list_functions gives it.");

export const eventNameField = z
  .string()
  .min(1)
  .max(256)
  .describe("Name of the event, for example order.placed. No white space, no empty part between dots.");

export const eventIdField = id("an event id").describe("Id of the event, for example evt_01h….");

export const schemaVersionField = z
  .number()
  .int()
  .min(1)
  .max(1_000_000)
  .optional()
  .describe("Version of the event's schema; 1 when left out.");

/** RFC 3339, checked as such, but shown to a model as a format and not as a page of pattern. */
export const timestamp = (text: string) =>
  z
    .string()
    .refine((value) => Timestamp.safeParse(value).success, {
      message: "must be an RFC 3339 time with a zone, for example 2026-11-30T09:00:00Z",
    })
    .meta({ format: "date-time", description: text });

export const searchField = (what: string) =>
  z
    .string()
    .min(1)
    .max(256)
    .optional()
    .describe(
      `Case-insensitive pattern on ${what}: % stands for any text, _ for one character; write \\%, \\_ and \\\\ for the characters themselves.`,
    );

export const limitField = (fallback: number, max: number) =>
  z
    .number()
    .int()
    .min(1)
    .max(max)
    .default(fallback)
    .describe(`How many rows at most, 1 to ${max}; ${fallback} when left out.`);

export const offsetField = z
  .number()
  .int()
  .min(0)
  .max(1_000_000)
  .default(0)
  .describe("How many rows to skip: 0 for the first page, then offset + count of the page before.");

const KNOWN_STATUSES = RunStatus.options.join(", ");

/** `failed,paused` -> `["failed", "paused"]`. Blank entries are left out. */
export const splitList = (text: string): string[] =>
  text
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");

export const runStatusesField = z
  .string()
  .max(256)
  .refine(
    (text) => {
      const words = splitList(text);
      return words.length > 0 && words.every((word) => RunStatus.safeParse(word).success);
    },
    { message: `must be one or more of ${KNOWN_STATUSES}, separated by commas` },
  )
  .optional()
  .describe(
    `Only runs in these states, separated by commas, for example failed,paused. States: ${KNOWN_STATUSES}.`,
  );

export const idempotencyKeyField = z
  .string()
  .min(1)
  .max(256)
  .optional()
  .describe(
    "Any text that is the same each time you send this same call: a repeated key does nothing and gives the first answer again.",
  );

export const dataField = (what: string) =>
  z
    .unknown()
    .optional()
    .describe(
      `${what}: any JSON, usually an object; an empty object when left out. Not together with data_json.`,
    );

export const dataJsonField = z
  .string()
  .max(1_048_576)
  .refine(isJson, { message: "must be JSON" })
  .optional()
  .describe("The data as JSON text, instead of data: keeps every digit of numbers above 2^53.");

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** An object whose inside is the caller's own, taken as it is: a record would leave out a member named `__proto__`. */
export const objectField = (text: string) =>
  z
    .unknown()
    .refine((value) => value === undefined || jsonObject().safeParse(value).success, {
      message: "must be an object",
    })
    .optional()
    .meta({ type: "object", description: text });

/** For `.refine` of an input that has both fields. */
export const hasOneData = (input: { data?: unknown; data_json?: string | undefined }): boolean =>
  input.data === undefined || input.data_json === undefined;

export const TWO_DATA: { path: string[]; message: string } = {
  path: ["data_json"],
  message: "must not be given together with data",
};

/** The irreversible tools' stand-in for asking, where the client cannot ask its person. */
export const confirmField = z
  .boolean()
  .optional()
  .describe(
    "Set to true only after you showed the person the target and they agreed. Ignored where the client can ask the person itself.",
  );

const envId = z.string().min(1).max(256);

/** For tools that speak for one environment and must be told which. */
export const requiredEnvField = envId.describe(
  "Id of the environment, as ironflow_list_environments gives it; must be the API key's own.",
);

export const envIdField = envId
  .optional()
  .describe(
    "Id of the environment, as ironflow_list_environments gives it; the API key's own when left out.",
  );
