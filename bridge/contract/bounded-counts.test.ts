import { Terminal as Headless } from "@xterm/headless";
import { Terminal } from "@xterm/xterm";
import { describe, expect, it } from "vitest";
import { boundCounts } from "./bounded-counts.ts";

const COUNTED = ["I", "Z", "L", "M", "S", "T", "b"];
const SIZE = { cols: 20, rows: 6 };

/** What is on the screen after the text, and how long that took in ms. */
async function shown(terminal: Terminal | Headless, text: string) {
  const begun = performance.now();
  await new Promise<void>((done) => {
    terminal.write(`one\r\ntwo\tx\r\nthree\u001b[2;9H${text}`, done);
  });
  const { active } = terminal.buffer;
  const rows = Array.from({ length: SIZE.rows }, (_, row) => active.getLine(active.baseY + row));
  const lines = rows.map((row) => row?.translateToString(true));
  terminal.dispose();
  return { lines, cursor: [active.cursorX, active.cursorY], ms: performance.now() - begun };
}

describe.each([
  ["of a page", () => new Terminal(SIZE)],
  ["without a screen", () => new Headless({ ...SIZE, allowProposedApi: true })],
])("a terminal %s", (_what, create) => {
  const bounded = () => {
    const terminal = create();
    boundCounts(terminal);
    return terminal;
  };

  it.each(COUNTED)("does what CSI %s says two thousand million times at once", async (final) => {
    const { ms, ...seen } = await shown(bounded(), `z\u001b[2147483647${final}`);
    expect(ms).toBeLessThan(2_000);
    const enough = final === "b" ? SIZE.cols : SIZE.cols * SIZE.rows;
    const { ms: _, ...wanted } = await shown(create(), `z\u001b[${enough}${final}`);
    expect(seen).toEqual(wanted);
  });

  it("repeats no character that is put together of very many", async () => {
    const zalgo = `z${"\u0301".repeat(8_000)}`;
    const { ms: _, ...seen } = await shown(bounded(), `${zalgo}\u001b[9999b`);
    const { ms: __, ...wanted } = await shown(create(), zalgo);
    expect(seen).toEqual(wanted);
    const { lines } = await shown(bounded(), "日\u001b[3b");
    expect(lines[1]).toContain("日日日日");
  });

  it.each(COUNTED)("does what CSI %s says a few times, or not at all, as it is", async (final) => {
    for (const count of ["", "0", "1", "2"]) {
      const { ms: _, ...seen } = await shown(bounded(), `z\u001b[${count}${final}`);
      const { ms: __, ...wanted } = await shown(create(), `z\u001b[${count}${final}`);
      expect(seen).toEqual(wanted);
    }
  });
});
