import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { connect } from "node:net";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { authorityFor, needsVirtualDisplay, startVirtualDisplay } from "./display.mjs";

/** @param {string} name like ":3" */
const socketOf = (name) => `/tmp/.X11-unix/X${name.slice(1)}`;

/**
 * Sends the X11 hello; the server's first byte says 1 (welcome) or 0 (refused).
 * @param {string} name
 * @param {Buffer} cookie empty: none
 */
async function hello(name, cookie) {
  const socket = connect(socketOf(name));
  await once(socket, "connect");
  const kind = Buffer.from(cookie.length === 0 ? "" : "MIT-MAGIC-COOKIE-1");
  const padded = (/** @type {Buffer} */ part) =>
    Buffer.concat([part, Buffer.alloc((4 - (part.length % 4)) % 4)]);
  const head = Buffer.alloc(12);
  head.write("l", 0);
  head.writeUInt16LE(11, 2);
  head.writeUInt16LE(kind.length, 6);
  head.writeUInt16LE(cookie.length, 8);
  socket.write(Buffer.concat([head, padded(kind), padded(cookie)]));
  const [answer] = await once(socket, "data");
  socket.destroy();
  return answer[0] === 1 ? "welcome" : "refused";
}

describe("the virtual display", () => {
  it("is wanted on Linux without a screen only", () => {
    expect(needsVirtualDisplay({}, "linux")).toBe(true);
    expect(needsVirtualDisplay({ DISPLAY: "" }, "linux")).toBe(true);
    expect(needsVirtualDisplay({ DISPLAY: ":0" }, "linux")).toBe(false);
    expect(needsVirtualDisplay({ WAYLAND_DISPLAY: "wayland-0" }, "linux")).toBe(false);
    expect(needsVirtualDisplay({}, "darwin")).toBe(false);
  });

  it("has a cookie file of one entry for any address and display", () => {
    const cookie = Buffer.from("0123456789abcdef");
    expect(authorityFor(cookie).toString("latin1")).toBe(
      "\xff\xff\0\0\0\0\0\x12MIT-MAGIC-COOKIE-1\0\x100123456789abcdef",
    );
  });

  it("starts beside others, refuses who has no cookie, and is gone after stop", async () => {
    const [one, two] = await Promise.all([startVirtualDisplay(), startVirtualDisplay()]);
    try {
      expect(one.name).not.toBe(two.name);
      expect(await hello(one.name, Buffer.alloc(0))).toBe("refused");
      expect(await hello(one.name, Buffer.alloc(16))).toBe("refused");
      expect(await hello(one.name, readFileSync(one.authority).subarray(-16))).toBe("welcome");
    } finally {
      await Promise.all([one.stop(), two.stop()]);
    }
    expect(existsSync(socketOf(one.name))).toBe(false);
    expect(existsSync(socketOf(two.name))).toBe(false);
    expect(existsSync(one.authority)).toBe(false);
  });

  it.runIf(process.platform === "linux")(
    "does not see what secrets there are in our environment",
    async () => {
      process.env["IRONFLOW_API_KEY"] = "secret-of-an-engine";
      const seen = [];
      const display = await startVirtualDisplay();
      try {
        for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
          // Anything may end while it is looked at.
          const read = (/** @type {string} */ name) => {
            try {
              return readFileSync(`/proc/${pid}/${name}`, "utf8");
            } catch {
              return "";
            }
          };
          if (read("cmdline").includes(display.authority)) seen.push(read("environ"));
        }
      } finally {
        delete process.env["IRONFLOW_API_KEY"];
        await display.stop();
      }
      expect(seen.length).toBeGreaterThanOrEqual(2); // the shell and Xvfb
      expect(seen.join("\0")).toContain("PATH=");
      expect(seen.join("\0")).not.toContain("secret-of-an-engine");
    },
  );

  it("ends when the process that wanted it is killed", async () => {
    const module = pathToFileURL(join(import.meta.dirname, "display.mjs")).href;
    const script = `
      import { startVirtualDisplay } from ${JSON.stringify(module)};
      const display = await startVirtualDisplay();
      process.stdout.write(display.name + " " + display.authority);
      setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    const exited = once(child, "exit");
    const [said] = await once(child.stdout, "data");
    const [name = "", authority = ""] = String(said).split(" ");
    expect(existsSync(socketOf(name))).toBe(true);
    expect(existsSync(authority)).toBe(true);
    child.kill("SIGKILL");
    await exited;
    await expect.poll(() => existsSync(socketOf(name))).toBe(false);
    await expect.poll(() => existsSync(dirname(authority))).toBe(false);
  });

  it("says which package is missing when there is no Xvfb", () => {
    const module = pathToFileURL(join(import.meta.dirname, "display.mjs")).href;
    const script = `
      import { startVirtualDisplay } from ${JSON.stringify(module)};
      await startVirtualDisplay().catch((error) => process.stdout.write(error.message));`;
    const run = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
      encoding: "utf8",
      env: { PATH: "/nowhere" },
    });
    expect(run.stdout).toContain("is the package xvfb installed");
  });
});
