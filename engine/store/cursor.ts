import * as z from "zod/v4";
import { ApiError } from "../errors.ts";

/** A place in a list that is ordered by time, then id. */
export interface Position {
  atMs: number;
  id: string;
}

const Parts = z.tuple([z.number().int(), z.string().min(1).max(128)]);

export function encodeCursor(position: Position): string {
  return Buffer.from(JSON.stringify([position.atMs, position.id])).toString("base64url");
}

/** @throws ApiError invalid_argument that names `field` */
export function decodeCursor(cursor: string, field: string): Position {
  try {
    const [atMs, id] = Parts.parse(JSON.parse(Buffer.from(cursor, "base64url").toString("utf8")));
    return { atMs, id };
  } catch {
    throw new ApiError("invalid_argument", `${field}: not a cursor of this list`);
  }
}
