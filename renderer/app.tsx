import { Suspense, useEffect, useRef } from "react";
import { LossBanner } from "./approvals/loss-banner.tsx";
import { PanicBanner } from "./approvals/panic-banner.tsx";
import { Palette } from "./palette/palette.tsx";
import { usePaletteKey } from "./palette/use-palette-key.ts";
import { EngineNotice } from "./shell/engine-notice.tsx";
import { entryOf } from "./shell/pages.ts";
import { Sidebar } from "./shell/sidebar.tsx";
import { Topbar } from "./shell/topbar.tsx";
import { Empty, Failed, Loading } from "./ui/frame.tsx";
import { TimeTip } from "./ui/time-tip.tsx";
import { useApp } from "./ui/use-app.ts";
import styles from "./app.module.css";

/** The window: what never goes away around the page that is open. */
export function App() {
  const theme = useApp((state) => state.settings.theme);
  useEffect(() => {
    if (theme === "system") delete document.documentElement.dataset["theme"];
    else document.documentElement.dataset["theme"] = theme;
  }, [theme]);
  useVitals();
  usePaletteKey();
  const goingTo = useApp((state) => state.paletteOpen);
  return (
    <div className={styles.app}>
      <a className={styles.skip} href="#main" onClick={skipToMain}>
        Skip to the page
      </a>
      <Topbar />
      <div className={styles.below}>
        <Sidebar />
        <Main />
      </div>
      <TimeTip />
      {goingTo && <Palette />}
    </div>
  );
}

/** What the navigation counts is read for the engine that is shown, whatever page is open. */
function useVitals() {
  const connectionId = useApp((state) => state.connectionId);
  const follow = useApp((state) => state.followVitals);
  useEffect(() => (connectionId === null ? undefined : follow()), [connectionId, follow]);
}

/** The address after `#` is the route, so the skip link moves the focus by hand. */
function skipToMain(event: { preventDefault(): void }) {
  event.preventDefault();
  document.getElementById("main")?.focus();
}

function Main() {
  const page = useApp((state) => state.route.page);
  const connections = useApp((state) => state.connections);
  const connectionId = useApp((state) => state.connectionId);
  const main = useRef<HTMLElement>(null);
  const shownPage = useRef(page);
  useEffect(() => {
    // A screen reader starts at the new page, not where the old link was.
    if (shownPage.current !== page) main.current?.focus();
    shownPage.current = page;
    document.title = `${entryOf(page)?.title ?? ""} – Ironbridge`;
  }, [page]);
  const entry = entryOf(page);
  const View = entry?.view;
  const alone = entry?.standsAlone === true;
  return (
    <main id="main" ref={main} className={styles.main} tabIndex={-1}>
      <PanicBanner />
      <LossBanner />
      <EngineNotice />
      {!alone && connections.phase === "loading" && <Loading what="the engines" />}
      {!alone && connections.phase === "failed" && (
        <Failed what="the engines" problem={connections.problem} />
      )}
      {!alone && connections.phase === "ready" && connectionId === null && (
        <Empty title="No engine is connected" />
      )}
      <Suspense fallback={<Loading what="the page" />}>
        {alone && View !== undefined && <View />}
        {/* Another engine is another page: nothing of the one before may stay on screen. */}
        {!alone && connectionId !== null && View !== undefined && <View key={connectionId} />}
      </Suspense>
    </main>
  );
}
