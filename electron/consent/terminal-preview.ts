import type { ShownValue } from "../contract/consent.ts";
import { TerminalListed } from "../../mcp/contract/tools/terminal.ts";
import type { Preview, ReadTool } from "./previews/read-target.ts";
import { argumentRows } from "./argument-rows.ts";
import type { WaitingCall } from "./terminal-policy.ts";
import { shown } from "./visible.ts";

/** A longer script is shown as one value: a question with so many rows helps nobody. */
const MAX_SHOWN_LINES = 200;
/** Arguments that have rows of their own. */
const TOLD_OF_COMMAND = ["command", "shell", "cwd"];
const TOLD_OF_INPUT = ["text", "session_id"];

/** What is asked about a command: all of it, the shell that runs it and the folder it runs in. */
export async function previewCommand(args: Record<string, unknown>): Promise<Preview> {
  return {
    title: "Run a command in a terminal",
    consequence: "It runs with your own rights, in a tab that you see, can type into and can stop.",
    target: commandRows(args),
    effects: [
      "The command can read and change whatever you can.",
      "Unless you chose otherwise for this token, its further commands run unasked until the app starts anew.",
    ],
    not_reached: ["Ironbridge's own keys and tokens are not in its environment."],
    told: TOLD_OF_COMMAND,
    watched: null,
  };
}

function commandRows(args: Readonly<Record<string, unknown>>, before = ""): ShownValue[] {
  return [
    ...lines(`${before}Command`, String(args["command"])),
    shown(`${before}Shell`, String(args["shell"])),
    shown(`${before}Folder`, String(args["cwd"])),
  ];
}

/** Calls that go with the answer about another one, each with all that it does, its environment and size included. */
export function waitingRows(calls: readonly WaitingCall[]): ShownValue[] {
  return calls.flatMap(({ tool, args }, index) => {
    const before = `${index + 1}: `;
    if (tool === "ironflow_terminal_run")
      return [...commandRows(args, before), ...argumentRows(args, TOLD_OF_COMMAND, before)];
    return [
      shown(`${before}Typed`, String(args["text"])),
      shown(`${before}Terminal`, String(args["session_id"])),
      ...argumentRows(args, TOLD_OF_INPUT, before),
    ];
  });
}

/** What is asked about text that is typed into a running program: every character of it, and where it goes. */
export async function previewInput(args: Record<string, unknown>, read: ReadTool): Promise<Preview> {
  const id = String(args["session_id"]);
  const listed = await read("ironbridge_terminal_list", {});
  const { sessions } = TerminalListed.parse(listed.structuredContent ?? { sessions: [] });
  const tab = sessions.find(({ session_id }) => session_id === id);
  const name: unknown = tab?.["name"];
  const agent: unknown = tab?.["agent"];
  return {
    title: "Type into a terminal",
    consequence: "The program in the tab takes it as if you had typed it.",
    target: [
      shown("Typed", String(args["text"])),
      ...(tab === undefined
        ? [shown("Tab", "There is no such tab any more.")]
        : [
            ...(typeof name === "string" ? [shown("Tab", name)] : []),
            shown("Its command", tab.command),
            shown("Started by", typeof agent === "string" ? agent : "an agent"),
            shown("It is", tab.status),
          ]),
      shown("Terminal", id),
    ],
    effects: ["A shell runs what is typed, with your own rights."],
    not_reached: [],
    told: TOLD_OF_INPUT,
    watched: null,
  };
}

function lines(label: string, text: string): ShownValue[] {
  const all = text.split("\n");
  if (all.length === 1 || all.length > MAX_SHOWN_LINES) return [shown(label, text)];
  return all.map((line, index) => shown(`${label}, line ${index + 1} of ${all.length}`, line));
}
