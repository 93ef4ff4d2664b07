import { Readable } from "node:stream";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { isHarmless, readChromiumOutput } from "./chromium-output.mjs";

const BUS =
  "[25512:1130/194807.245240:ERROR:bus.cc(407)] Failed to connect to the bus: Failed to connect to socket /run/dbus/system_bus_socket: No such file or directory";
const GPU =
  "[25545:1130/194807.391138:ERROR:viz_main_impl.cc(181)] Exiting GPU process due to errors during initialization";

/**
 * @param {string[]} chunks
 * @param {string[]} flags
 */
async function passed(chunks, flags = []) {
  const stderr = Readable.from(chunks, { objectMode: false });
  let text = "";
  readChromiumOutput(stderr, flags, (part) => {
    text += part;
  });
  await once(stderr, "end");
  return text;
}

describe("what Chromium says about a machine without a desktop", () => {
  it.each([
    BUS,
    GPU,
    "[1:0102/030405.678:ERROR:dbus/bus.cc:408] Failed to connect to the bus: x",
    "[1:0102/030405.678:ERROR:object_proxy.cc(576)] Failed to call method: org.freedesktop.DBus.NameHasOwner: x",
  ])("is harmless: %s", (line) => {
    expect(isHarmless(line)).toBe(true);
  });

  it.each([
    "2026-01-01T00:00:00.000Z error main: bus.cc(407)] Failed to connect to the bus: x",
    "[1:0102/030405.678:FATAL:bus.cc(407)] Failed to connect to the bus: x",
    "[1:0102/030405.678:ERROR:gpu_process_host.cc(1)] GPU process exited unexpectedly: exit_code=139",
    "[1:0102/030405.678:ERROR:viz_main_impl.cc(181)] Something else",
    `x ${BUS}`,
  ])("is not mistaken for anything else: %s", (line) => {
    expect(isHarmless(line)).toBe(false);
  });

  it("is left out line by line, however the pieces come, and everything else stays as it was", async () => {
    const text = `one\n${BUS}\n\ntwo ä\n${GPU}\nhalf a line`;
    const middle = text.indexOf("bus.cc");
    expect(await passed([text.slice(0, middle), text.slice(middle)])).toBe("one\n\ntwo ä\nhalf a line\n");
  });

  it.each(["--enable-logging=stderr", "--v=1", "--enable-logging"])("is kept with %s", async (flag) => {
    expect(await passed([`${BUS}\n`], [flag])).toBe(`${BUS}\n`);
  });

  it("does not hold a line that never ends", async () => {
    const long = "x".repeat(40_000);
    expect(await passed([long, long])).toBe(`${long}${long}`);
  });
});
