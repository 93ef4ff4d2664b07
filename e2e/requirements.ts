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
};
