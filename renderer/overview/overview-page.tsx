import {
  Activity,
  CircleX,
  CirclePause,
  MailX,
  Parentheses,
  Plug,
  ShieldX,
  type LucideIcon,
} from "lucide-react";
import { holdingBack } from "../breakers/breakers-slice.ts";
import { hrefTo } from "../store/route.ts";
import { mapReading, type Reading } from "../store/reading.ts";
import { Frame } from "../ui/frame.tsx";
import { Page } from "../ui/page.tsx";
import { useApp } from "../ui/use-app.ts";
import styles from "./overview-page.module.css";
import { RecentEvents, RecentRuns, StoppedRuns } from "./recent.tsx";
import type { Overview } from "./vitals-slice.ts";

const ACTIVE = "running,waiting,waiting_for_capacity";

/** Whether all is well, at a glance; each number leads to what it counts. */
export function OverviewPage() {
  const overview = useApp((state) => state.overview);
  const breakers = useApp((state) => state.breakers);
  const stopped = useApp((state) => state.stoppedRuns);
  const deadLetters = useApp((state) => state.deadLetterTotal);
  const count = (pick: (data: Overview) => number) => mapReading(overview, pick);
  return (
    <Page title="Overview">
      <div className={styles.body} role="region" aria-label="Overview" tabIndex={0}>
        <ul className={styles.tiles} aria-label="Counts">
          <Tile
            icon={Activity}
            name="Active runs"
            reading={count((data) => data.active_runs)}
            href={hrefTo("runs", null, { status: ACTIVE, window: "all" })}
          />
          <Tile
            icon={CircleX}
            name="Failed in 24 h"
            reading={count((data) => data.failed_runs_24h)}
            tone="bad"
            href={hrefTo("runs", null, { status: "failed", window: "24h" })}
          />
          <Tile
            icon={CirclePause}
            name="Paused runs"
            reading={count((data) => data.paused_runs)}
            tone="warn"
            href={hrefTo("runs", null, { status: "paused", window: "all" })}
          />
          <Tile
            icon={ShieldX}
            name="Breakers not closed"
            reading={mapReading(breakers, holdingBack)}
            tone="bad"
            href={hrefTo("breakers")}
          />
          <Tile
            icon={MailX}
            name="Dead letters"
            reading={deadLetters}
            tone="warn"
            href={hrefTo("dead-letters")}
          />
          <Tile
            icon={Parentheses}
            name="Functions"
            reading={count((data) => data.function_count)}
            href={hrefTo("functions")}
          />
        </ul>
        <Frame reading={stopped} what="the stopped runs">
          {(runs) => <StoppedRuns runs={runs} />}
        </Frame>
        <Frame reading={overview} what="the overview">
          {(data) => (
            <>
              <div className={styles.recent}>
                <RecentRuns runs={data.recent_runs} />
                <RecentEvents events={data.recent_events} />
              </div>
              {data.connected_workers > 0 && (
                <p className={styles.workers}>
                  <Plug aria-hidden="true" size={14} />
                  {data.connected_workers} pull {data.connected_workers === 1 ? "worker is" : "workers are"}{" "}
                  connected
                </p>
              )}
            </>
          )}
        </Frame>
      </div>
    </Page>
  );
}

function Tile(props: {
  icon: LucideIcon;
  name: string;
  reading: Reading<number>;
  href: string;
  /** The colour of a number that is not zero. */
  tone?: "bad" | "warn";
}) {
  const { icon: Icon, reading } = props;
  const known = reading.phase === "ready" || reading.phase === "stale";
  const alarming = known && reading.data > 0 ? props.tone : undefined;
  return (
    <li>
      <a className={styles.tile} href={props.href} data-tone={alarming}>
        <span className={styles.name}>
          <Icon aria-hidden="true" size={14} />
          {props.name}
        </span>
        <span className={styles.number} data-stale={reading.phase === "stale"}>
          {known && reading.data.toLocaleString("en")}
          {reading.phase === "loading" && <span className={styles.unknown}>…</span>}
          {reading.phase === "failed" && (
            <span className={styles.unknown} title={reading.problem.error}>
              not known
            </span>
          )}
        </span>
      </a>
    </li>
  );
}
