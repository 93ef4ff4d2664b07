import { describe, expect, it } from "vitest";
import { readMessage, statelessHeaders, statelessVersion } from "./message.ts";

const read = (value: object) => {
  const message = readMessage(JSON.stringify(value));
  if (message === undefined) throw new Error("expected a message");
  return message;
};

describe("a message on its way", () => {
  it("keeps its text, every digit of it, on one line", () => {
    const text = '{"jsonrpc":"2.0","id":1,\n"result":{"n":12345678901234567890,"s":"a\\nb"}}';
    expect(readMessage(text)?.text).toBe(text.replace("\n", " "));
  });

  it.each(["", "nonsense", "[]", "null", '{"jsonrpc":"1.0","id":1}', '{"jsonrpc":"2.0","id":{}}'])(
    "is none when it is %j",
    (text) => expect(readMessage(text)).toBeUndefined(),
  );

  it("names its revision in the stateless era only", () => {
    const meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28" };
    expect(statelessVersion(read({ jsonrpc: "2.0", id: 1, method: "x", params: { _meta: meta } }))).toBe(
      "2026-07-28",
    );
    expect(statelessVersion(read({ jsonrpc: "2.0", id: 1, method: "x" }))).toBeUndefined();
  });

  it("repeats method and name in headers, encoded where a header could not carry them", () => {
    const headers = (params: object) =>
      statelessHeaders(read({ jsonrpc: "2.0", id: 1, method: "tools/call", params }), "2026-07-28");
    expect(headers({ name: "a tool" })).toEqual({
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "a tool",
    });
    expect(headers({ uri: "x://y" })["mcp-name"]).toBe("x://y");
    for (const name of ["größe", " padded", "=?base64?x?="])
      expect(headers({ name })["mcp-name"]).toBe(`=?base64?${Buffer.from(name).toString("base64")}?=`);
    expect(headers({})["mcp-name"]).toBeUndefined();
  });
});
