import { expect, test } from "@playwright/test";
import type { Agent } from "./agents/agent.ts";
import { modernAgent } from "./agents/modern.ts";
import { violations } from "./axe.ts";
import { launchApp, type RunningApp } from "./launch.ts";
import { resizeWindow } from "./pages/resize-window.ts";
import { approveFirstCommand, clickLink, terminalTabs } from "./pages/terminal-tabs.ts";
import { saveScreenshot } from "./screenshot.ts";

test.describe("Who works in a terminal", () => {
  let app: RunningApp;
  let agent: Agent;

  test.beforeAll(async () => {
    app = await launchApp({ flags: ["--allow-writes", "--terminals"] });
    agent = await modernAgent(app.connection.mcp.url, app.token);
    await app.page.evaluate(() => (window.location.hash = "#/terminals"));
    await approveFirstCommand(app, agent, "echo begun");
  });
  test.afterAll(async () => {
    await agent.close();
    await app.close();
  });

  const { run, open, panel, rows } = terminalTabs(
    () => app,
    () => agent,
  );
  const { press, type } = {
    press: (keys: string) => app.page.keyboard.press(keys),
    type: (text: string) => app.page.keyboard.type(text),
  };
  const input = (text: string) => panel().filter({ hasText: text }).locator(".xterm-helper-textarea");
  const shows = (text: string) => expect(rows().filter({ hasText: text })).toBeVisible();
  const lines = () => rows().locator("> div").count();
  const openBoth = (left: string, right: string) =>
    app.page.evaluate(
      ([a = "", b = ""]) => (window.location.hash = `#/terminals/${a}?beside=${b}`),
      [left, right],
    );

  test("[B6] goes from tab to tab by keyboard, and the keys go along", async () => {
    for (const name of ["third", "second", "first"]) await run(`echo the ${name}; exec cat`);
    const newest = app.page.getByRole("tab").first();
    await expect(newest).toContainText("the first");
    await newest.click();
    await shows("the first");
    await input("the first").focus();
    await press("Control+Shift+PageDown");
    await shows("the second");
    await expect(input("the second")).toBeFocused();
    await press("Control+Shift+PageDown");
    await shows("the third");
    await expect(input("the third")).toBeFocused();
    await type("typed");
    await shows("typed");
    await press("Control+Shift+PageUp");
    await expect(input("the second")).toBeFocused();
  });

  test("[B6] goes on in the pane in which the keys were pressed, of two side by side", async () => {
    await run("echo below; exec cat");
    const right = await run("echo on the right; exec cat");
    const left = await run("echo on the left; exec cat");
    await openBoth(left, right);
    await shows("on the left");
    await shows("on the right");
    await input("on the right").focus();
    await press("Control+Shift+PageDown");
    await shows("below");
    await shows("on the left");
    await expect(input("below")).toBeFocused();
    await press("Control+Shift+PageUp");
    await expect(input("on the right")).toBeFocused();
    // The tab on the left is shown already.
    await press("Control+Shift+PageUp");
    await expect(panel()).toHaveCount(2);
    await shows("on the left");
    await expect(rows().filter({ hasText: "on the right" })).toBeHidden();
  });

  test("[B6] gets back into what is open above the terminal by the keys that opened it", async () => {
    const id = await run("echo a needle in it; exec cat");
    await open(id);
    await shows("needle");
    for (const [keys, label, text] of [
      ["Control+Shift+F", "Find in the output", "needle"],
      ["Control+Shift+E", "Name of this tab", "a name"],
    ] as const) {
      const field = app.page.getByRole("textbox", { name: label });
      await input("needle").focus();
      await press(keys);
      await expect(field).toBeFocused();
      await type(text);
      await input("needle").focus();
      await press(keys);
      await expect(field).toBeFocused();
      await expect(field).toHaveValue(text);
      await type("x");
      await expect(field).toHaveValue("x");
      await press("Escape");
      await expect(input("needle")).toBeFocused();
    }
  });

  test("[B6] closes and restarts by keyboard, and is then in the tab that came in its place", async () => {
    const first = await run("echo it ended; exit 3");
    await open(first);
    await expect(panel().getByText("exit code 3")).toBeVisible();
    await panel().getByRole("button", { name: "Restart" }).focus();
    await press("Enter");
    await expect.poll(() => app.page.evaluate(() => window.location.hash)).not.toContain(first);
    await expect(panel().getByText("exit code 3")).toBeVisible();
    await expect(panel().getByRole("button", { name: "Find in the output" })).toBeFocused();
    const restarted = await app.page.evaluate(() => window.location.hash);
    await panel().getByRole("button", { name: "Close", exact: true }).focus();
    await press("Enter");
    await expect.poll(() => app.page.evaluate(() => window.location.hash)).not.toBe(restarted);
    await expect(panel().getByRole("button", { name: "Find in the output" })).toBeFocused();
    // It is as good as chosen.
    const shown = await panel().locator("strong + code").textContent();
    await run("echo newer than that; exec cat");
    await expect(app.page.getByRole("tab").filter({ hasText: "newer than that" })).toBeVisible();
    await expect(panel().locator("strong + code")).toHaveText(shown ?? "no command");
  });

  test("[B6] keeps their tab when an agent starts another one", async () => {
    await app.page.getByRole("link", { name: "Tabs", exact: true }).click();
    await run("echo mine; exec cat");
    await shows("mine");
    await input("mine").focus();
    await type("one ");
    await run("echo theirs; exec cat");
    await expect(app.page.getByRole("tab").filter({ hasText: "theirs" })).toBeVisible();
    await type("two");
    await shows("one two");
  });

  test("[B6] a terminal does not answer, into a shell, what a program asked while nobody looked", async () => {
    const shell = await run("PS1='ready> ' exec bash --norc --noprofile -i");
    const other = await run("echo another; exec cat");
    await open(shell);
    await shows("ready>");
    await open(other);
    await shows("another");
    const questions = String.raw`printf '\033[6n\033[c\033]11;?\007'`;
    await agent.call("ironbridge_terminal_input", {
      session_id: shell,
      text: `${questions}; echo as''ked\r`,
    });
    const asked = { session_id: shell, wait_for: "text", wait_text: "asked", wait_seconds: 30 };
    expect((await agent.call("ironflow_terminal_read", asked)).structured).toMatchObject({ waited: "met" });
    await open(shell);
    await shows("asked");
    await input("asked").focus();
    await type("echo only this\r");
    await expect(rows()).toContainText("ready> echo only this");
  });

  test("[B6] a program that asks its terminal something goes on, whether somebody looks or not", async () => {
    const ask = String.raw`bash -c 'stty raw -echo; printf "\033[6n"; IFS= read -r -s -d R where; stty sane; printf "%q told\n" "$where"'`;
    const shown = await run("echo mine; exec cat");
    await open(shown);
    await shows("mine");
    const unseen = await run(ask);
    const told = { session_id: unseen, format: "text", wait_for: "exit", wait_seconds: 30 };
    expect((await agent.call("ironflow_terminal_read", told)).structured).toMatchObject({
      output: String.raw`$'\E[1;1' told` + "\n",
    });
    const seen = await run(`read -r go; ${ask}; exec cat`);
    await open(seen);
    await expect(rows()).toHaveCount(1);
    await agent.call("ironbridge_terminal_input", { session_id: seen, text: "\r" });
    await shows("told");
    // Once: more answers would be typed into what comes after.
    await expect(rows()).toContainText(/\$'\\E\[\d+;1' told\s*$/);
  });

  test("[B6] finds a tab scrolled back to where they left it, also when it was let go meanwhile", async () => {
    const mine = await run("seq 15000; exec cat");
    await open(mine);
    await shows("15000");
    await input("15000").focus();
    for (let pages = 0; pages < 5; pages += 1) await press("Shift+PageUp");
    const first = rows().locator("> div").first();
    // A page up leaves one line of the page before in view; below the last number is the line of the cursor.
    const shown = await lines();
    const line = String(15_002 - shown - 5 * (shown - 1));
    await expect(first).toHaveText(line);
    // More lines than hidden tabs keep together.
    for (let tab = 0; tab < 3; tab += 1) {
      await open(await run(`seq 15000; echo other ${tab}; exec cat`));
      await shows(`other ${tab}`);
    }
    await open(mine);
    await expect(first).toHaveText(line);
    // As on any other page.
    await app.page.evaluate(() => (window.location.hash = "#/runs"));
    await expect(app.page.getByRole("heading", { name: "Runs", level: 1 })).toBeVisible();
    await open(mine);
    await expect(first).toHaveText(line);
    await input("1").focus();
    await type("x");
    await shows("15000");
  });

  test("[B6] copies wide characters that were wrapped as they were printed", async () => {
    const text = `a${"漢字".repeat(200)}`;
    const id = await run(
      `printf '%s\\n' '${text}'; printf 'wide  %s\\n' '${"word  ".repeat(60)}end'; exec cat`,
    );
    await open(id);
    await shows("end");
    await panel().getByRole("button", { name: "Copy the selection, or all output" }).click();
    const copied = () => app.electron.evaluate(({ clipboard }) => clipboard.readText());
    await expect.poll(copied).toBe(`${text}\nwide  ${"word  ".repeat(60)}end`);
  });

  test("[B6] reads in the question about a link where it leads, with nothing in it hidden", async () => {
    const id = await run("echo 'https://bank.example@evil.example/\u202egpj.exe'; exec cat");
    await open(id);
    const link = rows().getByText("evil.example").first();
    await clickLink(link);
    const question = app.page.getByRole("group", { name: "Open this address?" });
    await expect(question).toContainText("Open evil.example in your browser?");
    await expect(question).toContainText("https://bank.example@evil.example/⟨U+202E⟩gpj.exe");
    await saveScreenshot(app.page, "terminals-link");
    expect(await violations(app.page)).toEqual([]);
    await question.getByRole("button", { name: "Do not open it" }).click();
  });

  test("[B6] goes by keyboard through the links in the output, from the newest in view, and opens the one that they are asked about", async () => {
    // Nothing of this test leaves the machine.
    await app.electron.evaluate(({ shell }) => {
      shell.openExternal = async (url) => void Reflect.set(globalThis, "openedLink", url);
    });
    const long = `https://four.example/${"x".repeat(300)}`;
    const id = await run(
      `echo https://one.example/a; seq 200; echo https://two.example/b, https://three.example/c; echo ${long}; echo below; exec cat`,
    );
    await open(id);
    await shows("below");
    const question = app.page.getByRole("group", { name: "Open this address?" });
    const asked = question.getByRole("status");
    const yes = question.getByRole("button", { name: "Open", exact: true });
    const withoutQuestion = await lines();
    const copied = () => app.electron.evaluate(({ clipboard }) => clipboard.readText());
    // With the mouse, as most get into a terminal: where the keys go is to be seen nevertheless.
    await panel().locator(".xterm-screen").click();
    for (const [host, url] of [
      ["four.example", long],
      ["three.example", "https://three.example/c"],
      ["two.example", "https://two.example/b"],
      ["one.example", "https://one.example/a"],
      ["four.example", long],
    ] as const) {
      await press("Control+Shift+L");
      await expect(asked).toContainText(`Open ${host} in your browser?`);
      await expect(asked).toContainText(url);
      await expect(yes).toBeFocused();
      await expect(yes).toHaveCSS("outline-style", "solid");
      await expect(rows()).toContainText(host);
      // It is marked.
      await press("Control+Shift+C");
      await expect.poll(copied).toBe(url);
    }
    for (const theme of ["dark", "light"] as const) {
      await app.page.emulateMedia({ colorScheme: theme });
      await saveScreenshot(app.page, `terminals-link-by-keys-${theme}`);
      expect(await violations(app.page)).toEqual([]);
    }
    await press("Escape");
    await expect(question).toBeHidden();
    await expect(input("below")).toBeFocused();
    await expect.poll(lines).toBe(withoutQuestion);
    await expect(panel().locator(".xterm-selection > *")).toHaveCount(0);
    await type("typed");
    await shows("typed");
    for (let times = 0; times < 3; times += 1) await press("Control+Shift+L");
    await expect(asked).toContainText("Open two.example in your browser?");
    await press("Enter");
    await expect(question).toBeHidden();
    await expect(input("typed")).toBeFocused();
    const opened = () => app.electron.evaluate((): unknown => Reflect.get(globalThis, "openedLink"));
    await expect.poll(opened).toBe("https://two.example/b");
  });

  test("[B6] has the link that they are asked about in view, also when the question takes its line", async () => {
    await open(await run("echo to count lines in; exec cat"));
    await shows("to count lines in");
    const all = await lines();
    const id = await run(`echo https://top.example/a; seq ${all - 2}; exec cat`);
    await open(id);
    await shows("top.example");
    await input("top.example").focus();
    await press("Control+Shift+L");
    await expect.poll(lines).toBeLessThan(all);
    await shows("top.example");
    await press("Escape");
  });

  test("[B6] keeps what they selected while they were asked about a link, and it is not the link", async () => {
    await open(await run("echo https://one.example/a; echo taken by mouse; exec cat"));
    await shows("by mouse");
    const all = await lines();
    await input("by mouse").focus();
    await press("Control+Shift+L");
    const question = app.page.getByRole("group", { name: "Open this address?" });
    await expect(question).toContainText("one.example");
    await expect.poll(lines).toBeLessThan(all);
    const screen = await panel().locator(".xterm-screen").boundingBox();
    if (screen === null) throw new Error("the terminal is not on screen");
    // In its second line.
    await app.page.mouse.dblclick(screen.x + 10, screen.y + (1.5 * screen.height) / (await lines()));
    await question.getByRole("button", { name: "Do not open it" }).click();
    await expect(question).toBeHidden();
    await press("Control+Shift+C");
    await expect.poll(() => app.electron.evaluate(({ clipboard }) => clipboard.readText())).toBe("taken");
  });

  test("[B6] reads the question about a link in a narrow terminal, and about one whose host is very long", async () => {
    const host = `${"long.".repeat(300)}example`;
    const usual = await run("echo https://usual.example/a/path; exec cat");
    const long = await run(`echo https://${host}/; echo printed; exec cat`);
    const question = app.page.getByRole("group", { name: "Open this address?" });
    const checked = async (name: string) => {
      for (const button of ["Copy the address", "Open", "Do not open it"])
        await expect(question.getByRole("button", { name: button, exact: true })).toBeInViewport({
          ratio: 1,
        });
      await expect(rows().first()).toBeInViewport();
      const { height = Infinity } = (await question.boundingBox()) ?? {};
      expect(height).toBeLessThan(200);
      for (const theme of ["dark", "light"] as const) {
        await app.page.emulateMedia({ colorScheme: theme });
        await saveScreenshot(app.page, `terminals-link-${name}-${theme}`);
      }
      expect(await violations(app.page)).toEqual([]);
    };
    try {
      await open(long);
      await shows("printed");
      await input("printed").focus();
      await press("Control+Shift+L");
      await expect(question).toContainText(host);
      await checked("long-host");
      // Its end, which says whose it is, is reached by keyboard.
      const asked = question.getByRole("status").locator("> span");
      for (let back = 0; back < 3; back += 1) await press("Shift+Tab");
      await expect(asked).toBeFocused();
      await press("End");
      const below = () => asked.evaluate((one) => one.scrollHeight - one.clientHeight - one.scrollTop);
      await expect.poll(below).toBeLessThan(1);
      await resizeWindow(app, 760, 480);
      await openBoth(long, usual);
      await expect(panel()).toHaveCount(2);
      await checked("long-host-split");
      await press("Escape");
      await expect(question).toBeHidden();
      await shows("usual.example");
      await input("usual.example").focus();
      await press("Control+Shift+L");
      await expect(question).toContainText("Open usual.example in your browser?");
      await checked("split");
      await press("Escape");
    } finally {
      await resizeWindow(app, 1280, 820);
    }
  });

  test("[B6] reads for a moment that there is no link in the output", async () => {
    const id = await run("echo nothing to open; exec cat");
    await open(id);
    await shows("nothing to open");
    await input("nothing to open").focus();
    await press("Control+Shift+L");
    const note = panel().getByRole("status").filter({ hasText: "There is no link in the output." });
    await expect(note).toBeVisible();
    await expect(input("nothing to open")).toBeFocused();
    await saveScreenshot(app.page, "terminals-no-link");
    await expect(note).toHaveCount(0);
  });

  test("[B6] keeps what they found when the terminal gets lower, from the first moment of the find bar on", async () => {
    const resize = (height: number) => resizeWindow(app, 1280, height);
    const id = await run("seq 100; echo a needle; exec cat");
    await open(id);
    await shows("needle");
    const copied = async () => {
      await app.electron.evaluate(({ clipboard }) => clipboard.writeText("nothing"));
      await press("Control+Shift+C");
      return app.electron.evaluate(({ clipboard }) => clipboard.readText());
    };
    await input("needle").focus();
    const before = await lines();
    await press("Control+Shift+F");
    await app.page.keyboard.insertText("needle");
    await expect.poll(lines).toBeLessThan(before);
    await expect.poll(copied).toBe("needle");
    const withBar = await lines();
    await resize(700);
    await expect.poll(lines).toBeLessThan(withBar);
    await expect.poll(copied).toBe("needle");
    await resize(820);
    await expect.poll(lines).toBe(withBar);
    await expect.poll(copied).toBe("needle");
    await press("Escape");
  });

  test("[B6] reads in the list of what agents started what was started, in its order", async () => {
    await run("true \u202e; hsilop # \u2066");
    await app.page.getByRole("link", { name: "What agents started" }).click();
    const shown = "true ⟨U+202E⟩; hsilop # ⟨U+2066⟩";
    const cell = app.page.getByRole("gridcell", { name: shown, exact: true });
    await expect(cell).toBeVisible();
    const command = cell.getByTitle(shown, { exact: true });
    await expect(command).toHaveCSS("white-space", "pre");
    await expect(command).toHaveCSS("font-variant-ligatures", "none");
    await app.page.getByRole("link", { name: "Tabs", exact: true }).click();
  });
});

test("[B6] who closes the last terminal by keyboard goes on in the page", async () => {
  const app = await launchApp({ flags: ["--allow-writes", "--terminals"] });
  const agent = await modernAgent(app.connection.mcp.url, app.token);
  try {
    await app.page.evaluate(() => (window.location.hash = "#/terminals"));
    await approveFirstCommand(app, agent, "echo the only one");
    await app.page.getByRole("button", { name: "Close", exact: true }).focus();
    await app.page.keyboard.press("Enter");
    await expect(app.page.getByRole("heading", { name: "No terminal is open" })).toBeVisible();
    await expect(app.page.getByRole("main")).toBeFocused();
    await saveScreenshot(app.page, "terminals-none-left");
    expect(await violations(app.page)).toEqual([]);
  } finally {
    await agent.close();
    await app.close();
  }
});
