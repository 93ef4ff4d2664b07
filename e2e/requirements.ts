/**
 * What the project promises, one line each. A test names the promise it checks in its title, as `[G3]`; a promise that
 * no test names fails `build/requirements.test.mjs`.
 */
export const REQUIREMENTS: Readonly<Record<string, string>> = {
  G1: "two commands on a fresh machine: set-up installs what is missing, skips what is done, names each step",
  G2: "folders import each other only through contracts; a forbidden import fails the lint",
  G3: "main starts as a list and quits in order: every child ended by the stop ladder and awaited",
  G4: "loopback servers refuse before they read; children inherit no descriptor above 2",
  G5: "the embedded engine loses no acknowledged event over kill -9 and a restart",
  G6: "the demo's functions are real: one completes, one fails for a real reason",
  G7: "the endpoint serves the tool table in both protocol eras, guard before protocol",
  G8: "the demo's runs on screen and through MCP are the same rows",
  "G-SHOW-3": "after kill -9 of main no process of ours is left after 2 s",
  F1: "the engine retries, sleeps, waits, pauses, opens breakers and stores dead letters, all caused by real failures",
  F2: "the demo really retries, sleeps, waits for a payment, opens a breaker, pauses and produces a dead letter",
  F3: "tools answer structured content and the same JSON as text; errors are the error object",
  F4: "a real engine can be attached, and the window always says which one it is and whether it may be written",
  F5: "nothing irreversible happens without a person's click in the consent window",
  F6: "an agent's command runs in a visible tab; no byte is lost; Stop ends the whole group",
  F7: "every page is reachable by keyboard; loading, empty, stale and failed look different; times carry their zone",
  B1: "an agent's log: absolute offsets that never move, dropped told, never half a character; raw, text, screen and waiting",
  B2: "status and exit code are the system's; waiting for input is told; what is typed with echo off reaches neither log nor agent",
  B3: "nothing of a terminal survives Stop, the app, its kill or a crash of the bridge; the proof of each end is on a page",
  "B3-1":
    "what clears its environment and leaves its session (env -i setsid) is found: by Stop, by the reaper, after a crash of the bridge",
  B4: "a visible tab gets at most what it can parse; acknowledging a replay makes no room for live output; a hidden one costs nothing",
  B5: "a command arrives as given, run by a named shell in a named folder; what cannot start says why",
  B6: "the tab: names, split, bell, search, copy, keys, whole command, WebGL on hardware only, transcripts, back after a reload",
  B7: "the terminal tools: a policy per token, one question for first commands at once, questions that show what they are about",
  "B-SHOW-1":
    "programs that print and exit at once, with hidden and never-opened tabs: no byte lost, exit code exact",
  "B-SHOW-2":
    "a flood: memory flat, the window answers keys, Stop works, a child that nobody looks at never blocks",
  "B-SHOW-3":
    "kill -9 of the app with 20 terminals of double forks deaf to SIGTERM: no survivor after 2 s, nobody else touched",
  "B-SHOW-4": "cut sequences and characters, resizes, and four shells give the same text",
  E12: "tools that applications register are offered through the app: checked, asked about, told when they come and go",
  M10: "the page Test as an agent shows what each era sees: tools, a call, the raw frames with secrets masked, timings",
  M11: "ironbridge-mcp --attach carries an agent on stdio to the running app, in either era, over consent and restarts",
  "F-SHOW-2":
    "kill -9 of the engine with 50 runs in flight: each reaches its end, no acknowledged step happens twice",
  "F-SHOW-3": "300 runs of a program that prints 4 KiB and exits at once, six at a time: no byte lost",
  "F-SHOW-4":
    "without a token, with a wrong one, with a foreign Host or Origin: refused, saying nothing about tools",
};
