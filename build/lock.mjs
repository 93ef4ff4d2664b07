// One holder at a time among processes of this machine; a holder that died is noticed by pid and start time.
import {
  linkSync,
  mkdirSync,
  readFileSync,
  rmSync,
  rmdirSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { say } from "./console.mjs";

const POLL_MS = 250;
/** Breaking a dead holder's lock takes microseconds; a breaker older than this has died in between. */
const BREAKER_LIMIT_MS = 10_000;

/**
 * Runs `work` while this process alone holds the lock; waits, and says for whom, while another one does.
 * @template T
 * @param {string} path of the lock file, in an existing folder
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withLock(path, work) {
  let told = false;
  while (!tryTake(path)) {
    const holder = readOwner(path);
    if (holder !== null && !isAlive(holder)) {
      breakLock(path);
      continue;
    }
    if (!told && holder !== null) say(`waiting for process ${holder.pid}, which does the same (${path})`);
    told ||= holder !== null;
    await sleep(POLL_MS);
  }
  const release = () => rmSync(path, { force: true });
  process.once("exit", release);
  try {
    return await work();
  } finally {
    process.off("exit", release);
    release();
  }
}

/**
 * Takes the lock if nobody has it. The file appears complete or not at all: it is written aside, then linked.
 * @param {string} path
 */
export function tryTake(path) {
  const aside = `${path}.${process.pid}`;
  writeFileSync(aside, JSON.stringify({ pid: process.pid, started: startTime(process.pid) }));
  try {
    linkSync(aside, path);
    return true;
  } catch (error) {
    if (hasCode(error, "EEXIST")) return false;
    throw error;
  } finally {
    unlinkSync(aside);
  }
}

/**
 * @typedef {{ pid: number, started: string | null }} Owner
 * @param {string} path
 * @returns {Owner | null} null: released meanwhile, or not readable as a lock
 */
function readOwner(path) {
  try {
    const owner = JSON.parse(readFileSync(path, "utf8"));
    return { pid: Number(owner.pid), started: owner.started ?? null };
  } catch (error) {
    if (hasCode(error, "ENOENT")) return null;
    return { pid: 0, started: "never" }; // not ours: nobody alive has written it
  }
}

/** @param {Owner} owner */
function isAlive(owner) {
  if (owner.pid <= 0) return false;
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    return hasCode(error, "EPERM") && owner.started === startTime(owner.pid);
  }
  return owner.started === startTime(owner.pid);
}

/**
 * Removes a dead holder's lock. Two processes may see the same dead holder, and the slower one must not remove the
 * lock that the faster one has taken meanwhile: so only the maker of the breaker folder may look again and remove.
 * @param {string} path
 */
export function breakLock(path) {
  const breaker = `${path}.breaking`;
  try {
    mkdirSync(breaker);
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
    const made = statSync(breaker, { throwIfNoEntry: false })?.mtimeMs;
    if (made !== undefined && Date.now() - made > BREAKER_LIMIT_MS)
      rmSync(breaker, { recursive: true, force: true });
    return;
  }
  try {
    const owner = readOwner(path);
    if (owner !== null && !isAlive(owner)) rmSync(path, { force: true });
  } finally {
    rmdirSync(breaker);
  }
}

/**
 * When the process was started, in a form that only has to be compared; null where the system does not tell.
 * @param {number} pid
 */
export function startTime(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // Fields after the name, which is in parentheses and may hold spaces; the start time is field 22 of the line.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? null;
  } catch {
    return null;
  }
}

/**
 * @param {unknown} error
 * @param {string} code
 */
function hasCode(error, code) {
  return error instanceof Error && "code" in error && error.code === code;
}
