import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { electronRuntime } from "./electron-runtime.mjs";
import { scratchProject } from "./scratch-project.mjs";

const NOBODY = 65_534;

describe("[G1] the set-up", () => {
  const project = scratchProject({});
  afterAll(() => project.remove());

  it("skips what is done, says so by name, and ends with the runtime it found", () => {
    const run = spawnSync(process.execPath, ["build/setup.mjs"], { cwd: project.root, encoding: "utf8" });
    expect(run.stderr).toBe("");
    expect(run.status).toBe(0);
    const lines = run.stdout.trim().split("\n");
    expect(lines).toContain("packages: node_modules is a link and left alone");
    expect(lines.at(-1)).toContain(`using Electron ${electronRuntime().version}`);
  });

  it.runIf(process.platform === "linux")(
    "stops with the exact command when it may not install what is missing",
    () => {
      // A PATH on which there is an apt-get but no Xvfb, for somebody who is not root.
      const tools = join(project.root, "tools");
      mkdirSync(tools);
      symlinkSync("/bin/true", join(tools, "apt-get"));
      const isRoot = process.getuid?.() === 0;
      if (isRoot) {
        chmodSync(project.root, 0o755);
        mkdirSync(join(project.root, ".cache"), { recursive: true });
        chownSync(join(project.root, ".cache"), NOBODY, NOBODY);
      }
      const run = spawnSync(process.execPath, ["build/setup.mjs"], {
        cwd: project.root,
        encoding: "utf8",
        env: { PATH: tools, HOME: project.root },
        ...(isRoot ? { uid: NOBODY, gid: NOBODY } : {}),
      });
      expect(run.stderr).toBe(
        "System libraries are missing; run this as root and try again: " +
          "apt-get update && apt-get install -y --no-install-recommends xvfb\n",
      );
      expect(run.status).toBe(1);
    },
  );
});
