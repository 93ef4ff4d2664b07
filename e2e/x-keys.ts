import { readFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";

/**
 * Presses keys on the X display that the tests run on, as a keyboard does: through the server's XTEST extension, so that
 * grabs of the whole desktop (global shortcuts) see them. Speaks as much of the X11 protocol as that takes.
 */

const KEYSYMS = { Shift: 0xff_e1, Control: 0xff_e3, Alt: 0xff_e9, Escape: 0xff_1b } as const;
export type KeyName = keyof typeof KEYSYMS;

const OPCODES = { getInputFocus: 43, queryExtension: 98, getKeyboardMapping: 101 } as const;
const FAKE_INPUT = 2;
const KEY = { press: 2, release: 3 } as const;
const COOKIE = "MIT-MAGIC-COOKIE-1";
const REPLY_BYTES = 32;

/** Presses the keys in order, and lets go of them in the reverse order. Resolves once the server has handled them. */
export async function pressKeys(keys: readonly KeyName[]): Promise<void> {
  const display = /^:(\d+)/.exec(process.env["DISPLAY"] ?? "")?.[1];
  if (display === undefined) throw new Error("DISPLAY names no display of this machine");
  const socket = connect(`/tmp/.X11-unix/X${display}`);
  try {
    const read = reader(socket);
    const { root, firstKeycode, keycodes } = await handshake(socket, read);
    const codes = await keycodesOf(socket, read, { firstKeycode, keycodes });
    const xtest = await extension(socket, read, "XTEST");
    const wanted = keys.map((key) => {
      const code = codes.get(KEYSYMS[key]);
      if (code === undefined) throw new Error(`the keyboard has no ${key}`);
      return code;
    });
    for (const code of wanted) socket.write(fakeKey(xtest, KEY.press, code, root));
    for (const code of wanted.toReversed()) socket.write(fakeKey(xtest, KEY.release, code, root));
    socket.write(Buffer.from([OPCODES.getInputFocus, 0, 1, 0]));
    await reply(read); // everything before it has been handled
  } finally {
    socket.destroy();
  }
}

type Read = (bytes: number) => Promise<Buffer>;

/** Reads exactly so many bytes. */
function reader(socket: Socket): Read {
  let waiting = Buffer.alloc(0);
  let failure: Error | undefined;
  let wake = () => {};
  socket.on("data", (chunk: Buffer) => {
    waiting = Buffer.concat([waiting, chunk]);
    wake();
  });
  const end = (cause: Error) => {
    failure ??= cause;
    wake();
  };
  socket.on("error", end);
  socket.on("close", () => end(new Error("the X server hung up")));
  return async (bytes) => {
    while (waiting.length < bytes) {
      if (failure !== undefined) throw failure;
      await new Promise<void>((done) => (wake = done));
    }
    const taken = waiting.subarray(0, bytes);
    waiting = waiting.subarray(bytes);
    return taken;
  };
}

const padded = (bytes: Buffer): Buffer => Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)]);

async function handshake(socket: Socket, read: Read) {
  const cookie = await readCookie();
  const name = Buffer.from(cookie === undefined ? "" : COOKIE);
  const data = cookie ?? Buffer.alloc(0);
  const head = Buffer.alloc(12);
  head.write("l", 0); // little-endian
  head.writeUInt16LE(11, 2);
  head.writeUInt16LE(name.length, 6);
  head.writeUInt16LE(data.length, 8);
  socket.write(Buffer.concat([head, padded(name), padded(data)]));
  const answer = await read(8);
  const body = await read(answer.readUInt16LE(6) * 4);
  if (answer[0] !== 1) throw new Error(`the X server refused: ${body.toString("latin1")}`);
  const [vendor, formats] = [body.readUInt16LE(16), body.readUInt8(21)];
  const firstKeycode = body.readUInt8(26);
  return {
    firstKeycode,
    keycodes: body.readUInt8(27) - firstKeycode + 1,
    root: body.readUInt32LE(32 + Math.ceil(vendor / 4) * 4 + formats * 8),
  };
}

/** The last field of the first entry; the tests' display has one. */
async function readCookie(): Promise<Buffer | undefined> {
  const path = process.env["XAUTHORITY"];
  if (path === undefined || path === "") return undefined;
  const file = await readFile(path);
  let at = 2;
  let field = Buffer.alloc(0);
  for (let count = 0; count < 4; count += 1) {
    const length = file.readUInt16BE(at);
    field = file.subarray(at + 2, at + 2 + length);
    at += 2 + length;
  }
  return field;
}

/** A reply with what follows its first 32 bytes. Errors throw, events are left out. */
async function reply(read: Read): Promise<Buffer> {
  for (;;) {
    const head = await read(REPLY_BYTES);
    if (head[0] === 0) throw new Error(`the X server reports error ${head[1]}`);
    if (head[0] === 1) return Buffer.concat([head, await read(head.readUInt32LE(4) * 4)]);
  }
}

async function extension(socket: Socket, read: Read, name: string): Promise<number> {
  const text = padded(Buffer.from(name));
  const head = Buffer.alloc(8);
  head[0] = OPCODES.queryExtension;
  head.writeUInt16LE(2 + text.length / 4, 2);
  head.writeUInt16LE(name.length, 4);
  socket.write(Buffer.concat([head, text]));
  const answer = await reply(read);
  if (answer[8] !== 1) throw new Error(`the X server has no ${name}`);
  return answer.readUInt8(9);
}

/** The keycode of each symbol. */
async function keycodesOf(
  socket: Socket,
  read: Read,
  keyboard: { firstKeycode: number; keycodes: number },
): Promise<Map<number, number>> {
  const { firstKeycode, keycodes } = keyboard;
  socket.write(Buffer.from([OPCODES.getKeyboardMapping, 0, 2, 0, firstKeycode, keycodes, 0, 0]));
  const answer = await reply(read);
  const each = answer.readUInt8(1);
  const codes = new Map<number, number>();
  for (let at = 0; at < keycodes * each; at += 1) {
    const symbol = answer.readUInt32LE(REPLY_BYTES + at * 4);
    if (!codes.has(symbol)) codes.set(symbol, firstKeycode + Math.floor(at / each));
  }
  return codes;
}

function fakeKey(xtest: number, type: number, keycode: number, root: number): Buffer {
  const request = Buffer.alloc(36);
  request[0] = xtest;
  request[1] = FAKE_INPUT;
  request.writeUInt16LE(request.length / 4, 2);
  request[4] = type;
  request[5] = keycode;
  request.writeUInt32LE(root, 12);
  return request;
}
