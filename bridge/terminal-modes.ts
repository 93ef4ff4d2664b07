import { ESCAPE } from "./control-bytes.ts";

const SHIFT_OUT = 0x0e;
const SHIFT_IN = 0x0f;
/** A sequence that is cut by the end of a piece is found with so many bytes of both pieces. */
const BORDER_BYTES = 128;
/** Character set, keypad and reset, modes; and which half of the characters is meant, which few programs ever say. */
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const TOLD = /\u001b(?:([()])([ -~])|([c=>])|\[\?([\d;]+)([hl]))/g;
// oxlint-disable-next-line no-control-regex -- as above
const TOLD_OR_SHIFTED = new RegExp(`${TOLD.source}|([\u000e\u000f])`, "g");

interface Mode {
  /** Of those with the same name one at most is on. */
  name: string;
  inNewTerminal: boolean;
}

const mode = (name: string, inNewTerminal = false): Mode => ({ name, inNewTerminal });
const MODES: ReadonlyMap<number, Mode> = new Map([
  [1, mode("cursor keys")],
  [7, mode("wrap", true)],
  [25, mode("cursor", true)],
  [47, mode("screen")],
  [1047, mode("screen")],
  [1049, mode("screen")],
  [66, mode("keypad")],
  [9, mode("mouse")],
  [1000, mode("mouse")],
  [1002, mode("mouse")],
  [1003, mode("mouse")],
  [1005, mode("mouse positions")],
  [1006, mode("mouse positions")],
  [1015, mode("mouse positions")],
  [1016, mode("mouse positions")],
  [1004, mode("focus")],
  [2004, mode("pastes")],
]);

/**
 * What a terminal was told and still heeds: the screen that is drawn on, how keys and clicks are sent, which characters
 * letters stand for. By what they are about, the sequences that tell a new terminal the same.
 */
export type Modes = ReadonlyMap<string, string>;

export const NEW_TERMINAL: Modes = new Map();

/** For a terminal that begins here. */
export function sequencesOf(modes: Modes): string {
  return [...modes.values()].join("");
}

/** The modes after `bytes`. A sequence that they cut is not counted. Output without any costs two searches. */
export function modesAfter(bytes: Buffer, before: Modes): Modes {
  // Nothing is shifted back in that is not out.
  const shifts = bytes.includes(SHIFT_OUT) || (before.has("shift") && bytes.includes(SHIFT_IN));
  if (!shifts && !bytes.includes(ESCAPE)) return before;
  const modes = new Map(before);
  for (const told of bytes.toString("latin1").matchAll(shifts ? TOLD_OR_SHIFTED : TOLD)) take(modes, told);
  return modes;
}

export const NO_BORDER = Buffer.alloc(0);

/** A copy of the last bytes, where they may hold a sequence that goes on in what comes next; else nothing. */
export function borderOf(bytes: Buffer): Buffer {
  const end = bytes.subarray(-BORDER_BYTES);
  return end.includes(ESCAPE) ? Buffer.from(end) : NO_BORDER;
}

/** As `modesAfter`, for bytes that come right after others with this border. */
export function modesAfterNext(previous: Buffer, bytes: Buffer, before: Modes): Modes {
  if (previous.length === 0) return modesAfter(bytes, before);
  const border = Buffer.concat([previous, bytes.subarray(0, BORDER_BYTES)]);
  // What is taken twice, in the same order, means the same.
  return modesAfter(bytes, modesAfter(border, before));
}

function take(modes: Map<string, string>, told: RegExpExecArray): void {
  const [sequence, half, letter, other, numbers, final, shift] = told;
  if (half !== undefined) put(modes, half === "(" ? "g0" : "g1", letter === "B" ? undefined : sequence);
  else if (other === "c") modes.clear();
  else if (other !== undefined) put(modes, "keypad", other === "=" ? sequence : undefined);
  else if (numbers !== undefined) takeModes(modes, numbers, final === "h");
  else put(modes, "shift", shift === "\u000e" ? shift : undefined);
}

function takeModes(modes: Map<string, string>, numbers: string, isOn: boolean): void {
  for (const number of numbers.split(";").map(Number)) {
    const known = MODES.get(number);
    if (known === undefined) continue;
    const isUsual = isOn === known.inNewTerminal;
    put(modes, known.name, isUsual ? undefined : `\u001b[?${number}${isOn ? "h" : "l"}`);
  }
}

function put(modes: Map<string, string>, about: string, sequence: string | undefined): void {
  if (sequence === undefined) modes.delete(about);
  else modes.set(about, sequence);
}
