import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { appEnvironment, machineFlags } from "./app.mjs";
import { electronRuntime } from "./electron-runtime.mjs";
import { ROOT } from "./paths.mjs";
import { scratchProject } from "./scratch-project.mjs";

const APP = `
  const { app } = require("electron");
  process.on("SIGHUP", () => app.quit()); // Electron itself takes the other two
  app.on("before-quit", () => { console.log("asked to end"); app.exit(7); }); // Electron turns signals into this
  app.whenReady().then(() => {
    const facts = { path: app.getAppPath(), name: app.getName(), version: app.getVersion(), flags: process.argv.slice(2) };
    console.log(JSON.stringify({ ...facts, packaged: app.isPackaged, electron: process.versions.electron }));
    console.log("up");
    if (process.argv.includes("--demo")) app.exit(3);
  });`;

/**
 * @param {string} cwd
 * @param {string} script
 * @param {string[]} args
 */
async function npmRun(cwd, script, ...args) {
  const child = spawn("npm", ["run", "--silent", script, "--", ...args], {
    cwd,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text) => {
      said += text;
    });
  const [code] = await once(child, "close");
  return { code, said };
}

describe("[G1] the start of the built app", () => {
  const project = scratchProject({
    "dist/main.cjs": APP,
    "electron/help.json": readFileSync(join(ROOT, "electron", "help.json"), "utf8"),
  });
  afterAll(() => project.remove());

  /**
   * @param {string[]} flags
   * @param {(text: string, child: import("node:child_process").ChildProcess) => void} onOutput
   */
  async function start(flags, onOutput = () => {}) {
    const child = spawn(
      process.execPath,
      ["build/app.mjs", `--user-data-dir=${project.root}/profile`, ...flags],
      {
        cwd: project.root,
        env: { ...process.env, ELECTRON_RUN_AS_NODE: "1", DISPLAY: "", WAYLAND_DISPLAY: "" },
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
    let [output, errors] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text) => {
      output += text;
      onOutput(output, child);
    });
    child.stderr.setEncoding("utf8").on("data", (text) => {
      errors += text;
    });
    const [code] = await once(child, "close");
    return { code, output, errors };
  }

  it("passes the flags on, gives the app its own name, says that there is no display, and ends with its code", async () => {
    const { code, output } = await start(["--demo", "--lang=de"]);
    expect(code).toBe(3);
    const [display, facts, ...rest] = output.trim().split("\n");
    expect(display).toMatch(/^no display: the app runs on a virtual one \(Xvfb :\d+\)$/);
    expect(rest).toEqual(["up"]);
    const seen = JSON.parse(String(facts));
    expect(seen).toMatchObject({ path: project.root, name: "Ironbridge", packaged: false });
    expect(seen.electron).toBe(electronRuntime().version);
    expect(seen.flags).toEqual(expect.arrayContaining(["--demo", "--lang=de"]));
  });

  it.each(["SIGINT", "SIGTERM", "SIGHUP"])(
    "hands %s on and waits until the app has ended",
    async (signal) => {
      let sent = false;
      const { code, output } = await start([], (text, child) => {
        if (sent || !text.includes("up\n")) return;
        sent = true;
        child.kill(/** @type {NodeJS.Signals} */ (signal));
      });
      expect(output).toContain("asked to end");
      expect(code).toBe(7);
    },
  );

  it.each([
    ["--help", "--mcp-port=N"],
    ["--version", "Ironbridge "],
  ])("answers %s without a display and without the app", async (flag, text) => {
    const { code, output } = await start([flag]);
    expect(code).toBe(0);
    expect(output).toContain(text);
    expect(output).not.toContain("no display");
    expect(output).not.toContain("up\n");
  });

  it.each([
    ["--demmo", "--demmo: there is no such flag; did you mean --demo?\n"],
    ["--demo=yes", "--demo: takes no value\n"],
    ["my-profile", "my-profile: nothing is done with it;"],
  ])(
    "refuses %s in the app's words and with its code, without a display and without the app",
    async (flag, sentence) => {
      const { code, output, errors } = await start([flag]);
      expect(code).toBe(4);
      expect(output).toBe("");
      expect(errors).toContain(sentence);
      expect(errors.trim().split("\n")).toHaveLength(1);
    },
  );

  it.each([
    { platform: "linux", isRoot: true, sharedMemoryBytes: 2 ** 30, flags: ["--no-sandbox"] },
    { platform: "linux", isRoot: false, sharedMemoryBytes: 2 ** 26, flags: ["--disable-dev-shm-usage"] },
    { platform: "linux", isRoot: false, sharedMemoryBytes: 2 ** 28, flags: [] },
    { platform: "darwin", isRoot: true, sharedMemoryBytes: 0, flags: [] },
  ])("gives Chromium what the machine needs: $platform, root $isRoot, $sharedMemoryBytes bytes", (row) => {
    expect(machineFlags({ ...row, platform: /** @type {NodeJS.Platform} */ (row.platform) })).toEqual(
      row.flags,
    );
  });

  it("does not let the app inherit what would make Electron a plain Node", () => {
    expect(appEnvironment({ ELECTRON_RUN_AS_NODE: "1", HOME: "/home/x" })).toEqual({ HOME: "/home/x" });
  });

  it("says what to do when the app is not built", async () => {
    const empty = scratchProject({});
    try {
      const child = spawn(process.execPath, ["build/app.mjs"], {
        cwd: empty.root,
        stdio: ["ignore", "ignore", "pipe"],
      });
      let stderr = "";
      child.stderr.setEncoding("utf8").on("data", (text) => {
        stderr += text;
      });
      expect((await once(child, "close"))[0]).toBe(1);
      expect(stderr).toBe("The app is not built yet; run `npm run build` (or `npm start`, which does it).\n");
    } finally {
      empty.remove();
    }
  });

  const scripts = Object.keys(JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")).scripts);
  const needSetUp = scripts.filter((name) => !["start", "test"].includes(name) && !name.startsWith("pre"));

  it.each(needSetUp)("npm run %s in a fresh clone says what to run first", async (script) => {
    const clone = scratchProject({});
    try {
      rmSync(`${clone.root}/node_modules`); // the link, not what it leads to
      const { code, said } = await npmRun(clone.root, script);
      expect(code).toBe(1);
      expect(said).toBe(
        "The packages are not installed yet; run `npm start`, or `node build/setup.mjs`, once and try again.\n",
      );
    } finally {
      clone.remove();
    }
  });

  it.each(["start", "app"])(
    "npm run %s in a fresh clone refuses what is no flag of the app first",
    async (script) => {
      const clone = scratchProject({});
      try {
        rmSync(`${clone.root}/node_modules`);
        const { code, said } = await npmRun(clone.root, script, "--demmo");
        expect(code).toBe(4);
        expect(said).toBe("--demmo: there is no such flag; did you mean --demo?\n");
        expect(existsSync(`${clone.root}/.cache`)).toBe(false);
      } finally {
        clone.remove();
      }
    },
  );

  it("npm run engine says that it has to be built first", async () => {
    const built = scratchProject({});
    try {
      const child = spawn("npm", ["run", "--silent", "engine"], {
        cwd: built.root,
        stdio: ["ignore", "ignore", "pipe"],
      });
      let stderr = "";
      child.stderr.setEncoding("utf8").on("data", (text) => {
        stderr += text;
      });
      expect((await once(child, "close"))[0]).toBe(1);
      expect(stderr).toContain("dist/engine.cjs is not built yet; run `npm run build`");
    } finally {
      built.remove();
    }
  });
});
