import { ENDED_STATUSES, type StopResponse, type TerminalSession } from "../../bridge/contract/api.ts";
import type { TranscriptFormat } from "../../bridge/contract/port.ts";
import type { TerminalRecord } from "../../electron/contract/terminals.ts";
import { appFailure, messageOf, type Answer } from "../store/answer.ts";
import { MIN_GAP_MS } from "../store/deps.ts";
import { goTo } from "../store/navigation.ts";
import { formatRoute } from "../store/route.ts";
import { applyAnswer, dataOf, LOADING, type Reading } from "../store/reading.ts";
import type { Slice } from "../store/slice.ts";
import { watch } from "../store/watch.ts";
import type { ScrolledBack } from "./scroll-back.ts";
import { stopNote } from "./stop-note.ts";
import { openTerminalPort, type TerminalPort } from "./terminal-port.ts";

export type TerminalsSlice = {
  terminals: Reading<readonly TerminalSession[]>;
  /** What Stop or Close came to, by session. */
  terminalNotes: Readonly<Record<string, string>>;
  stopping: ReadonlySet<string>;
  followTerminals: () => () => void;
  /** Its tab is in view from now on, until called off: nobody is told then that its program waits for them. */
  showsTerminal: (sessionId: string) => () => void;
  /** Attaches a tab to its session's output. */
  attachTerminal: (sessionId: string, on: Parameters<typeof openTerminalPort>[2]) => TerminalPort;
  stopTerminal: (sessionId: string) => Promise<void>;
  closeTerminal: (sessionId: string) => Promise<void>;
  /** Runs the command once more and goes to its new tab. */
  restartTerminal: (sessionId: string) => Promise<void>;
  /** Something about a tab that its person should read. */
  noteTerminal: (sessionId: string, text: string) => void;
  saveTranscript: (sessionId: string, format: TranscriptFormat) => Promise<void>;
  openLink: (sessionId: string, url: string) => Promise<void>;
  /** "" takes the name away. */
  renameTerminal: (sessionId: string, name: string) => Promise<void>;
  readCommand: (sessionId: string) => Promise<WholeCommandAnswer>;
  /** How often each tab had rung when the person last saw it. */
  bellsSeen: Readonly<Record<string, number>>;
  sawBells: (sessionId: string, bells: number) => void;
  /** Where tabs were scrolled back to when they were hidden: they may be let go, and drawn again from the log. */
  scrolledBack: Readonly<Record<string, ScrolledBack | undefined>>;
  leftTerminal: (sessionId: string, at: ScrolledBack | undefined) => void;
  /** Every process that agents started, with the proof of its end. */
  terminalHistory: Reading<readonly TerminalRecord[]>;
  /** Reads them, and again after each start and end, until called off. */
  followTerminalHistory: () => () => void;
};

export type WholeCommandAnswer =
  | { readonly ok: true; readonly command: string }
  | { readonly ok: false; readonly problem: string };

export const hasEnded = ({ status }: TerminalSession): boolean => ENDED_STATUSES.includes(status);

export const terminalsSlice: Slice<TerminalsSlice> = (set, get, deps) => {
  /** Of one that is gone nothing is kept: what is told of it comes too late. */
  const isGone = (sessionId: string) => {
    const sessions = dataOf(get().terminals);
    return sessions !== undefined && !sessions.some(({ session_id }) => session_id === sessionId);
  };
  const note = (sessionId: string, text: string) => {
    if (isGone(sessionId)) return;
    set((state) => ({ terminalNotes: { ...state.terminalNotes, [sessionId]: text } }));
  };
  const stopping = (sessionId: string, on: boolean) =>
    set((state) => {
      const next = new Set(state.stopping);
      if (on) next.add(sessionId);
      else next.delete(sessionId);
      return { stopping: next };
    });
  const inView = new Set<string>();
  const tellInView = () => {
    // Where it does not arrive, the person is told of what they see: nothing is lost.
    deps.door.request("terminals:in-view", { session_ids: [...inView] }).catch(() => {});
  };
  async function readHistory(): Promise<Answer<readonly TerminalRecord[]>> {
    try {
      return { ok: true, data: await deps.door.request("terminals:history", {}) };
    } catch (error) {
      return appFailure(messageOf(error), "app_unreachable");
    }
  }
  return {
    terminals: LOADING,
    terminalNotes: {},
    stopping: new Set(),
    followTerminals() {
      const apply = (data: readonly TerminalSession[]) => {
        const there = new Set(data.map(({ session_id }) => session_id));
        set(({ terminalNotes, bellsSeen, scrolledBack }) => ({
          terminals: { phase: "ready", data: newestFirst(data), at: deps.clock.now() },
          terminalNotes: keptOf(terminalNotes, there),
          bellsSeen: keptOf(bellsSeen, there),
          scrolledBack: keptOf(scrolledBack, there),
        }));
      };
      const stop = deps.door.listen("terminals:changed", apply);
      tellInView(); // the page before this one had others
      deps.door.request("terminals:list", {}).then(apply, (error: unknown) => {
        const answer = appFailure(messageOf(error), "app_unreachable");
        set({ terminals: applyAnswer(get().terminals, answer, deps.clock.now()) });
      });
      return stop;
    },
    showsTerminal(sessionId) {
      inView.add(sessionId);
      tellInView();
      return () => {
        inView.delete(sessionId);
        tellInView();
      };
    },
    attachTerminal: (sessionId, on) => openTerminalPort(deps.door, sessionId, on),
    async stopTerminal(sessionId) {
      if (get().stopping.has(sessionId)) return;
      stopping(sessionId, true);
      try {
        const response: StopResponse = await deps.door.request("terminals:stop", { session_id: sessionId });
        note(sessionId, stopNote(response));
      } catch (error) {
        note(sessionId, `It could not be stopped: ${messageOf(error)}`);
      }
      stopping(sessionId, false);
    },
    async closeTerminal(sessionId) {
      const next = besideInList(dataOf(get().terminals) ?? [], sessionId);
      try {
        const { closed, response } = await deps.door.request("terminals:close", { session_id: sessionId });
        const { id, query } = get().route;
        if (!closed) note(sessionId, response === undefined ? "It could not be closed." : stopNote(response));
        else if (id === sessionId && next !== undefined)
          goTo(formatRoute("terminals", next.session_id, query), "replace");
      } catch (error) {
        note(sessionId, `It could not be closed: ${messageOf(error)}`);
      }
    },
    async restartTerminal(sessionId) {
      try {
        const { started } = await deps.door.request("terminals:restart", { session_id: sessionId });
        if (started === null) note(sessionId, "It could not be run again: it is gone, or there is no room.");
        else goTo(formatRoute("terminals", started));
      } catch (error) {
        note(sessionId, `It could not be run again: ${messageOf(error)}`);
      }
    },
    noteTerminal: note,
    async saveTranscript(sessionId, format) {
      try {
        const answer = await deps.door.request("terminals:save", { session_id: sessionId, format });
        if (answer.problem !== null) note(sessionId, `It could not be saved: ${answer.problem}`);
        else if (answer.path !== null) note(sessionId, `Saved as ${answer.path}`);
      } catch (error) {
        note(sessionId, `It could not be saved: ${messageOf(error)}`);
      }
    },
    async openLink(sessionId, url) {
      try {
        await deps.door.request("terminals:open-link", { url });
      } catch (error) {
        note(sessionId, `The link could not be opened: ${messageOf(error)}`);
      }
    },
    async renameTerminal(sessionId, name) {
      try {
        const { renamed } = await deps.door.request("terminals:rename", { session_id: sessionId, name });
        if (!renamed) note(sessionId, "It could not be named: it is gone.");
      } catch (error) {
        note(sessionId, `It could not be named: ${messageOf(error)}`);
      }
    },
    async readCommand(sessionId) {
      try {
        const { command } = await deps.door.request("terminals:command", { session_id: sessionId });
        if (command !== null) return { ok: true, command };
        return { ok: false, problem: "It is not kept any more: its terminal is gone." };
      } catch (error) {
        return { ok: false, problem: messageOf(error) };
      }
    },
    bellsSeen: {},
    sawBells(sessionId, bells) {
      if (get().bellsSeen[sessionId] === bells || isGone(sessionId)) return;
      set((state) => ({ bellsSeen: { ...state.bellsSeen, [sessionId]: bells } }));
    },
    scrolledBack: {},
    leftTerminal(sessionId, at) {
      if (get().scrolledBack[sessionId] === at || isGone(sessionId)) return;
      set((state) => ({ scrolledBack: { ...state.scrolledBack, [sessionId]: at } }));
    },
    terminalHistory: LOADING,
    followTerminalHistory() {
      const watching = watch({
        clock: deps.clock,
        minGapMs: MIN_GAP_MS,
        everyMs: () => undefined,
        async read(stillWanted) {
          const answer = await readHistory();
          if (stillWanted())
            set((state) => ({
              terminalHistory: applyAnswer(state.terminalHistory, answer, deps.clock.now()),
            }));
          return answer.ok;
        },
      });
      const unlisten = deps.door.listen("terminals:history-changed", watching.refresh);
      return () => {
        unlisten();
        watching.stop();
      };
    },
  };
};

/** What is kept by session, without those that are gone. The same where none is. */
function keptOf<T>(
  kept: Readonly<Record<string, T>>,
  there: ReadonlySet<string>,
): Readonly<Record<string, T>> {
  const entries = Object.entries(kept);
  const left = entries.filter(([id]) => there.has(id));
  return left.length === entries.length ? kept : Object.fromEntries(left);
}

const newestFirst = (sessions: readonly TerminalSession[]): readonly TerminalSession[] =>
  [...sessions].sort((a, b) => b.started_at.localeCompare(a.started_at));

/** What comes in the place of a tab that is closed. */
function besideInList(sessions: readonly TerminalSession[], id: string): TerminalSession | undefined {
  const at = sessions.findIndex(({ session_id }) => session_id === id);
  return sessions[at + 1] ?? sessions[at - 1];
}
