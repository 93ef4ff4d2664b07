import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { poll } from "./poll.ts";

/*
 * Shell scripts that start processes which are hard to get rid of. Each process writes its pid into a file in $DIR once it is
 * what it is meant to be, and then waits.
 */

const wait = "while :; do sleep 0.2; done";
const here = (name: string) => `echo $$ > $DIR/${name}.tmp; mv $DIR/${name}.tmp $DIR/${name}`;
const quoted = (script: string) => `'${script.replaceAll("'", `'\\''`)}'`;
const plain = (name: string) => `${here(name)}; ${wait}`;
const deaf = (name: string) => `trap '' TERM HUP INT QUIT; ${here(name)}; ${wait}`;

/** Script and the names of the processes it starts. */
export const FAMILIES: Record<string, { script: string; names: string[] }> = {
  plain: { script: plain("plain"), names: ["plain"] },
  "deaf to SIGTERM": { script: deaf("deaf"), names: ["deaf"] },
  nohup: {
    script: `nohup sh -c ${quoted(plain("nohup"))} >/dev/null 2>&1 & exec sleep 300`,
    names: ["nohup"],
  },
  setsid: { script: `setsid sh -c ${quoted(plain("setsid"))} & exec sleep 300`, names: ["setsid"] },
  "double fork": {
    script: `(setsid sh -c ${quoted(`(sh -c ${quoted(deaf("daemon"))} &)`)} &) ; exec sleep 300`,
    names: ["daemon"],
  },
  "double fork whose starter has gone": {
    script: `(setsid nohup sh -c ${quoted(deaf("orphan"))} >/dev/null 2>&1 &); until [ -e $DIR/orphan ]; do sleep 0.02; done`,
    names: ["orphan"],
  },
  "a child without its environment": {
    script: `env -i DIR=$DIR /bin/sh -c ${quoted(deaf("bare"))} & exec sleep 300`,
    names: ["bare"],
  },
  "a child without its environment, in a session of its own, whose starter has gone": {
    script: `(env -i DIR=$DIR setsid /bin/sh -c ${quoted(deaf("shed"))} >/dev/null 2>&1 &); until [ -e $DIR/shed ]; do sleep 0.02; done`,
    names: ["shed"],
  },
  "a stopped child": { script: `${here("stopped")}; kill -STOP $$; ${wait}`, names: ["stopped"] },
  "a child that comes back": {
    script: `${here("parent")}; while :; do sh -c ${quoted("trap '' TERM; sleep 300")}; done`,
    names: ["parent"],
  },
};

/** Waits for the files of these processes and gives their pids. */
export function pidsOf(folder: string, names: readonly string[]): Promise<number[]> {
  return poll(`processes ${names.join(", ")}`, () => {
    const there = readdirSync(folder);
    if (!names.every((name) => there.includes(name))) return undefined;
    return names.map((name) => Number(readFileSync(join(folder, name), "utf8")));
  });
}
