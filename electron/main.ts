import "./before-all.ts";
import { randomUUID } from "node:crypto";
import { app, nativeTheme, session } from "electron";
import { TOOLS } from "../mcp/contract/tools.ts";
import { systemClock } from "../loopback/clock.ts";
import { openAgentDoor } from "./agents.ts";
import { takeApiKey } from "./api-key.ts";
import { superviseDemo } from "./children/demo.ts";
import { startProcessRecords } from "./children/process-records.ts";
import { readCommandLine } from "./command-line.ts";
import { announce, removeConnectionFile } from "./connection-file.ts";
import { openConnection } from "./connections.ts";
import { requests } from "./contract/ipc.ts";
import type { Flags } from "./flags.ts";
import { allHandlers } from "./handlers/all.ts";
import { createHub } from "./hub/hub.ts";
import { becomeOnlyInstance } from "./instance.ts";
import { answerRequests } from "./ipc.ts";
import { runLifecycle, type Lifecycle } from "./lifecycle.ts";
import { logError } from "./log.ts";
import { makeLocalToken } from "./mcp-endpoint/local-token.ts";
import { createPerformer } from "./mcp-endpoint/perform.ts";
import { pageEvents } from "./page-events.ts";
import { confinePages, confineSession } from "./page/confine.ts";
import { declarePageScheme, servePages } from "./page/serve-pages.ts";
import { openProfile, programsIn, type Profile } from "./profile.ts";
import { openSettings } from "./settings.ts";
import { openMainWindow } from "./windows.ts";

const programs = programsIn(import.meta.dirname);
const flags = readCommandLine();
const apiKey = takeApiKey(process.env);
const profile = openProfile(app.getPath("userData"));

declarePageScheme();
confinePages();

if (becomeOnlyInstance(profile)) runLifecycle((life) => start(life, flags, profile));
else app.exit(0);

/** Opens everything, in this order; each line registers its own end. */
async function start(life: Lifecycle, flags: Flags, profile: Profile): Promise<void> {
  const launch = randomUUID();
  const version = app.getVersion();
  await app.whenReady();

  confineSession(session.defaultSession);
  servePages(session.defaultSession, programs.pages, "index.html");
  const settings = openSettings(profile.settings);
  if (settings.problem !== undefined) logError("settings", settings.problem);
  nativeTheme.themeSource = settings.choices.theme;

  const localToken = makeLocalToken(profile.localToken, flags);
  life.steps.add("local token", () => localToken.remove());

  const records = await startProcessRecords({ program: programs.reaper, profile, launch });
  life.steps.add("reaper", () => records.close());

  const page = pageEvents();
  const link = openConnection({
    flags,
    apiKey,
    profile,
    programs,
    session: launch,
    appVersion: version,
    records,
    bridge: undefined,
    clock: systemClock,
    events: {
      onConnection: () => page.tell("connections:changed", hub.connections()),
      onChanged: (topic) => page.tell("data:changed", { connection: link.id, topic }),
    },
  });
  const hub = createHub([link]);
  life.steps.add("engine and tool server", () => hub.stop());

  if (flags.demo) {
    const demo = superviseDemo({ entry: programs.demo, session: launch, records, cwd: profile.folder, link });
    life.steps.add("demo", () => demo.stop());
  }

  const performer = createPerformer({ rows: TOOLS, hub });
  const door = await openAgentDoor({
    flags,
    settings,
    version,
    hub,
    performer,
    authenticate: (token) => localToken.authenticate(token),
    onRefused: (reason, caller) => logError("endpoint", `refused ${caller ?? "a request"}: ${reason}`),
  });
  life.steps.add("agents' endpoint", () => door.close());

  const window = openMainWindow({ preload: programs.preload, settings });
  page.attach(window.window.webContents);
  const info = {
    name: app.getName(),
    version,
    electron: process.versions.electron,
    platform: process.platform,
    mcp_url: door.url,
  };
  const takeBack = answerRequests(
    "main",
    requests,
    allHandlers({ info, settings, hub, page, performer, ending: life.ending }),
    (event) => window.isSender(event),
  );
  app.on("second-instance", () => window.focus());
  life.steps.add("window", () => {
    window.close();
    takeBack();
  });

  await link.settled(life.ending);
  life.steps.add("connection file", () => removeConnectionFile(profile.connectionFile, process.pid));
  announce(profile.connectionFile, {
    version: 1,
    pid: process.pid,
    app: { name: info.name, version, electron: info.electron },
    mcp: { url: door.url, token_file: profile.localToken },
    bridge: null,
    engine: link.meta,
  });
}
