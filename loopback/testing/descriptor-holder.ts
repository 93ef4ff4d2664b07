import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { launch } from "../launch.ts";

/**
 * Started by launch.process.test.ts with many open descriptors. Starts a child that waits for the end of its stdin, through
 * the launcher or plainly, and reports both processes' descriptors in one line.
 */
const how = process.argv[2];
const options = { command: "/bin/cat", args: [], cwd: "/", env: {} };
const child = how === "launch" ? launch(options) : spawn(options.command, options.args, { detached: true });
const pid = child.pid ?? 0;
const descriptorsOf = (who: number | "self") =>
  readdirSync(`/proc/${who}/fd`)
    .map(Number)
    .sort((a, b) => a - b);

// cat echoes: once it does, the launcher has become cat.
child.stdin.write("x");
child.stdout.once("data", () => {
  const report = {
    pid: process.pid,
    own: descriptorsOf("self"),
    child: { pid, descriptors: descriptorsOf(pid) },
  };
  process.stdout.write(`${JSON.stringify(report)}\n`);
});
process.stdin.resume();
