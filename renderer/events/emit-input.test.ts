import { describe, expect, test } from "vitest";
import { toolByName } from "../../mcp/contract/tools.ts";
import { emitArguments, emitProblems } from "./emit-input.ts";

const form = (name: string, data: string) => ({ name, data, key: "" });

describe("the form of an event", () => {
  test.each(["", " ", "a b", ".a", "a.", "a..b", "a\u0000"])("the name %j is refused", (name) => {
    expect(emitProblems(form(name, "")).name).not.toBeNull();
  });

  test("data that is no JSON object is refused, and no data is fine", () => {
    for (const data of ["{", "[1]", "12", '"x"', "{'a':1}"])
      expect(emitProblems(form("a", data)).data).not.toBeNull();
    for (const data of ["", "  \n", "{}", '{"a":[1]}']) expect(emitProblems(form("a", data)).data).toBeNull();
  });

  test("what is sent is what was typed, digit by digit, and the tool takes it", () => {
    const typed = { name: "order.placed", data: '{"n": 9223372036854775807}', key: "k-1" };
    const sent = emitArguments(typed);
    expect(sent).toEqual({ event: "order.placed", data_json: typed.data, idempotency_key: "k-1" });
    expect(toolByName("ironflow_emit_event")?.input.safeParse(sent).success).toBe(true);
  });
});
