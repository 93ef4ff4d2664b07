import { describe, expect, it } from "vitest";
import { LineSplitter, TailBuffer } from "./frames.ts";

const texts = (lines: Buffer[]) => lines.map((line) => line.toString());

describe("a line splitter", () => {
  it("puts lines together from any cut of the stream", () => {
    const splitter = new LineSplitter(100);
    const lines = "ab\n\ncd\nef".split("").flatMap((byte) => splitter.push(Buffer.from(byte)));
    expect(texts(lines)).toEqual(["ab", "", "cd"]);
    expect(texts(splitter.push(Buffer.from("!\n")))).toEqual(["ef!"]);
  });

  it("takes a line of exactly the limit and refuses one byte more, however it comes", () => {
    expect(texts(new LineSplitter(4).push(Buffer.from("abcd\n")))).toEqual(["abcd"]);
    expect(() => new LineSplitter(4).push(Buffer.from("abcde\n"))).toThrow("longer than 4 bytes");
    const slow = new LineSplitter(4);
    slow.push(Buffer.from("abcd"));
    expect(() => slow.push(Buffer.from("e"))).toThrow("longer than 4 bytes");
  });
});

describe("a tail", () => {
  it("keeps the last bytes only", () => {
    const tail = new TailBuffer(4);
    tail.push(Buffer.from("ab"));
    tail.push(Buffer.from("cdef"));
    expect(tail.text()).toBe("cdef");
    tail.push(Buffer.from("0123456789"));
    expect(tail.text()).toBe("6789");
  });

  it("does not begin in the middle of a character", () => {
    const tail = new TailBuffer(4);
    tail.push(Buffer.from("ä€x"));
    expect(tail.text()).toBe("€x");
    tail.push(Buffer.from("yz"));
    expect(tail.text()).toBe("xyz");
  });
});
