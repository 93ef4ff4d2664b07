import { appIsUp } from "./before-all.ts"; // stays the first import
import { randomUUID } from "node:crypto";
import { app, BrowserWindow, nativeTheme, session } from "electron";
import { TOOLS } from "../mcp/contract/tools.ts";
import { systemClock } from "../loopback/clock.ts";
import { openAgentDoor } from "./agents.ts";
import { appInfo } from "./app-info.ts";
import { takeApiKey } from "./api-key.ts";
import { removeUnfinished } from "./atomic-file.ts";
import { openTerminalBridge } from "./children/bridge.ts";
import { superviseDemo } from "./children/demo.ts";
import { recordChromium } from "./children/page-processes.ts";
import { startProcessRecords } from "./children/process-records.ts";
import { startToolServer } from "./children/tool-server.ts";
import { readCommandLine } from "./command-line.ts";
import { announce, type Announcement } from "./connection-file.ts";
import { EMBEDDED, openConnection, toolServerOf, type ConnectionParts } from "./connections.ts";
import { createConsent } from "./consent/consent.ts";
import { openRemembered } from "./consent/remembered.ts";
import { terminalPolicies } from "./consent/terminal-policy.ts";
import { questionNotices } from "./consent/question-notices.ts";
import { createConsentWindow } from "./consent/window.ts";
import { requests } from "./contract/ipc.ts";
import { openEngineStore } from "./engines/engine-store.ts";
import { openEngines } from "./engines/engines.ts";
import { systemKeyStore } from "./engines/key-store.ts";
import { testEngine } from "./engines/test-engine.ts";
import type { Flags } from "./flags.ts";
import { allHandlers } from "./handlers/all.ts";
import { createHub } from "./hub/hub.ts";
import { becomeOnlyInstance } from "./instance.ts";
import { answerRequests } from "./ipc.ts";
import { runLifecycle, type Lifecycle } from "./lifecycle.ts";
import { logError } from "./log.ts";
import { openAudit } from "./mcp-endpoint/audit.ts";
import { recordConsent, recordLeftOpen, recordRefusal } from "./mcp-endpoint/audit-records.ts";
import { makeLocalToken } from "./mcp-endpoint/local-token.ts";
import { createPerformer } from "./mcp-endpoint/perform.ts";
import { openTokenStore } from "./mcp-endpoint/tokens.ts";
import { AUDIT_ROW, auditTool } from "./mcp-endpoint/own-tools.ts";
import { setMenu } from "./menu.ts";
import { notify } from "./notice.ts";
import { pageEvents } from "./page-events.ts";
import { confinePages, confineSession } from "./page/confine.ts";
import { declarePageScheme, servePages } from "./page/serve-pages.ts";
import { openProbes, type Probes } from "./probe/probes.ts";
import { openPanic } from "./panic.ts";
import { profileProblems } from "./profile-problems.ts";
import { openProfile, programsIn, type Profile } from "./profile.ts";
import { openSettings, questionExpiry } from "./settings.ts";
import { openTerminalHistory } from "./terminal-history.ts";
import { terminalNotices } from "./terminal-notices.ts";
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
  removeUnfinished(profile.folder);
  await app.whenReady();

  setMenu(process.platform);
  confineSession(session.defaultSession);
  servePages(session.defaultSession, programs.pages, "index.html");
  const settings = openSettings(profile.settings);
  const problems = profileProblems();
  problems.note("settings", settings.problem);
  nativeTheme.themeSource = settings.choices.theme;

  const localToken = makeLocalToken(profile.localToken, flags);
  life.steps.add("local token", () => localToken.remove());

  const records = await startProcessRecords({ program: programs.reaper, profile, launch });
  life.steps.add("reaper", () => records.close());
  life.steps.add("records of Chromium's processes", recordChromium(records));

  const now = () => new Date();
  const audit = openAudit({
    path: profile.audit,
    now,
    onLost: (cause) => logError("audit", "lines are lost", cause),
  });
  life.steps.add("audit", () => audit.close());
  const page = pageEvents();
  let announcement: Announcement | undefined;
  let tellAgents = () => {};

  const history = openTerminalHistory(profile.terminals, now, undefined, () =>
    page.tell("terminals:history-changed", {}),
  );
  life.steps.add("terminal history", () => history.close());
  const notices = terminalNotices({
    isFocused: () => BrowserWindow.getFocusedWindow() !== null,
    notify,
    show(sessionId) {
      window.focus();
      page.tell("navigate", { path: `/terminals/${sessionId}` });
    },
  });
  app.on("browser-window-focus", () => notices.focused());
  const bridge = openTerminalBridge({
    entry: programs.bridge,
    logs: profile.terminalOutput,
    launch,
    records,
    clock: systemClock,
    sendPort: (attachId, port) => page.sendPort(attachId, port),
    onSessions(sessions) {
      history.follow(sessions);
      notices.follow(sessions);
      page.tell("terminals:changed", [...sessions]);
      panic.terminalsChanged();
    },
    onMoved: () => engines.restartTools(),
  });
  life.steps.add("terminal bridge", () => bridge.end());

  const keys = systemKeyStore();
  const engineStore = openEngineStore(profile.engines, keys, [EMBEDDED.name]);
  problems.note("engines", engineStore.problem);
  const connectionParts: ConnectionParts = {
    profile,
    programs,
    session: launch,
    appVersion: version,
    records,
    keyStore: keys,
    writes: () => settings.stored.writes ?? {},
    bridge,
    clock: systemClock,
    onConnection() {
      page.tell("connections:changed", hub.connections());
      announcement?.refresh();
    },
    onTools: () => tellAgents(),
    onChanged: (connection, topic) => page.tell("data:changed", { connection, topic }),
  };
  const engines = openEngines({
    flags,
    apiKey,
    store: engineStore,
    writes: connectionParts.writes,
    open: (engine) => openConnection(connectionParts, engine),
    onSwitched(before) {
      consent.queue.withdraw(
        ({ engine }) => engine?.kind === before.meta.kind && engine.url === before.meta.url,
      );
      performer.leave(before.id);
      connectionParts.onConnection();
    },
    onLeft: (before) => door.dropConnection(before.id),
    onChanged: (list) => page.tell("engines:changed", list),
  });
  const hub = createHub(() => engines.active);
  const { active: link } = engines;
  life.steps.add("engines and tool servers", () => engines.stop());

  if (flags.demo) {
    const demo = superviseDemo({ entry: programs.demo, session: launch, records, cwd: profile.folder, link });
    life.steps.add("demo", () => demo.stop());
  }

  const consent = createConsent({
    clock: systemClock,
    now,
    timeZone: () => settings.choices.time_zone,
    expiresAfterMs: questionExpiry(settings),
    record: (entry) => recordConsent(audit, entry),
    onChanged() {
      page.tell("questions:waiting", { waiting: consent.queue.count });
      tellQuestion(); // before its window takes the focus
      questions.refresh();
    },
  });
  const tellQuestion = questionNotices({
    top: () => consent.queue.top,
    isFocused: () => BrowserWindow.getFocusedWindow() !== null,
    notify,
    show: () => questions.show(),
  });
  const questions = createConsentWindow({ consent, preload: programs.consentPreload, pages: programs.pages });

  const remembered = openRemembered(profile.remembered, now, (list) => page.tell("remembered:changed", list));
  problems.note("remembered answers", remembered.problem);
  const leftOpen = recordLeftOpen(audit, now());

  const tokens = openTokenStore(profile.tokens, now, (list) => page.tell("tokens:changed", list));
  problems.note("tokens", tokens.problem);
  life.steps.add("tokens", () => tokens.flush());
  const performer = createPerformer({
    rows: TOOLS,
    own: [auditTool(audit)],
    terminals: terminalPolicies(
      () => bridge.sessions(),
      () => consent.waitingChanged(),
    ),
    hub,
    consent,
    remembered,
    callerNow: ({ caller, tokenId }) =>
      tokenId === undefined
        ? caller
        : (localToken.holder(tokenId) ?? tokens.holder(tokenId) ?? probes.holder(tokenId)),
    rules: () => ({
      extra: settings.stored.tool_permissions ?? {},
      extraLost: settings.stored.permissions_lost !== undefined,
      stopped: panic.state.stopped,
    }),
    audit,
    now,
    clock: systemClock,
    onActivity: (activity) => page.tell("agents:activity", activity),
  });
  const panic = openPanic({
    settings,
    audit,
    bridge,
    page,
    now,
    refuseQuestions() {
      consent.queue.refuseAll();
      performer.drop();
    },
  });
  life.steps.add("panic shortcut", () => panic.close());
  const door = await openAgentDoor({
    flags,
    settings,
    version,
    hub,
    performer,
    authenticate: (token) =>
      localToken.authenticate(token) ?? tokens.authenticate(token) ?? probes.authenticate(token),
    onCall: (caller, claim) => tokens.used(caller, claim),
    onRefused: (reason, remote, caller) => recordRefusal(audit, reason, remote, caller),
  });
  life.steps.add("agents' endpoint", () => door.close());
  tellAgents = () => door.toolsChanged();
  const probes: Probes = openProbes({
    url: (connection) => `${door.url}/${connection}`,
    version,
    clock: systemClock,
    now,
    dropCaller: (name) => door.dropCaller(name),
    connect: {
      handshake: async (target) => (await import("./probe/handshake-client.ts")).connectHandshake(target),
      "2026-07-28": async (target) => (await import("./probe/modern-client.ts")).connectModern(target),
    },
  });
  life.steps.add("tests as an agent", () => probes.end());
  life.steps.add("questions", () => questions.close());

  const window = openMainWindow({ preload: programs.preload, settings });
  page.attach(window.window.webContents, () => ({ waiting: consent.queue.count }));
  const info = appInfo(door.url);
  const handlers = allHandlers({
    info,
    problems: problems.list,
    settings,
    hub,
    engines,
    store: engineStore,
    keys,
    test: (engine, signal) =>
      testEngine(
        {
          startTools: (target, stop) => startToolServer(toolServerOf(connectionParts, target), stop),
          clock: systemClock,
          now,
        },
        engine,
        signal,
      ),
    page,
    performer,
    bridge,
    history,
    notices,
    consent,
    questions,
    tokens,
    localToken: localToken.info,
    probes,
    mcpUrl: door.url,
    audit,
    remembered,
    panic,
    leftOpen: () => leftOpen,
    rows: () => [...TOOLS, AUDIT_ROW, ...engines.active.applicationRows],
    async dropCaller(name) {
      performer.drop(name);
      remembered.forgetTokens((tokenId) => tokens.holder(tokenId) !== undefined);
      await door.dropCaller(name);
    },
    onNarrowed: (name) => performer.narrow(name),
    onLimitChanged: (name) => performer.forgetLimit(name),
    onRightsChanged: () => tellAgents(),
    ending: life.ending,
  });
  const takeBack = answerRequests("main", requests, handlers, (event) => window.isSender(event));
  app.on("second-instance", () => window.focus());
  window.window.on("closed", () => app.quit());
  life.steps.add("window", () => {
    takeBack();
    window.close();
  });

  await link.settled(life.ending);
  life.ending.throwIfAborted();
  announcement = announce(profile.connectionFile, () => ({
    version: 1,
    pid: process.pid,
    app: { name: info.name, version, electron: info.electron },
    mcp: { url: door.url, token_file: profile.localToken },
    bridge: bridge.url === undefined ? null : { url: bridge.url },
    engine: engines.active.meta,
  }));
  life.steps.add("connection file", announcement.remove);
  appIsUp();
}
