import { RotateCcw } from "lucide-react";
import { useEffect, useState } from "react";
import type { Breaker } from "../../mcp/contract/domain.ts";
import { ActionNote } from "../actions/action-note.tsx";
import { useRefusal } from "../actions/use-refusal.ts";
import { hrefTo } from "../store/route.ts";
import { dataOf } from "../store/reading.ts";
import { Button } from "../ui/button.tsx";
import { Facts } from "../ui/facts.tsx";
import { Fold } from "../ui/fold.tsx";
import { Empty, Frame } from "../ui/frame.tsx";
import { Page } from "../ui/page.tsx";
import { Status } from "../ui/status.tsx";
import { Age, Time } from "../ui/time.tsx";
import { useApp } from "../ui/use-app.ts";
import styles from "./breakers-page.module.css";
import { holdingBack } from "./breakers-slice.ts";
import { FailureHistory } from "./failure-history.tsx";

/** The breakers of push functions. The list is kept by the shell, which counts the open ones. */
export function BreakersPage() {
  const breakers = useApp((state) => state.breakers);
  const rows = dataOf(breakers);
  const [openKey, setOpenKey] = useState<string | null>(null);
  const holding = rows === undefined ? 0 : holdingBack(rows);
  const note =
    rows === undefined || rows.length === 0
      ? undefined
      : `${holding} of ${rows.length} ${holding === 1 ? "holds" : "hold"} runs back`;
  return (
    <Page title="Circuit breakers" note={note}>
      <Frame reading={breakers} what="the circuit breakers">
        {(list) =>
          list.length === 0 ? (
            <Empty title="No breaker has been needed">
              <p>
                One appears with the first call to a push function. After five failures in a row it opens and
                holds runs back.
              </p>
            </Empty>
          ) : (
            <ul className={styles.list} aria-label="Circuit breakers" tabIndex={0}>
              {list.map((breaker, index) => (
                <BreakerRow
                  key={breaker.key}
                  breaker={breaker}
                  counted={index < COUNTED}
                  open={breaker.key === openKey}
                  onToggle={(open) => setOpenKey(open ? breaker.key : null)}
                />
              ))}
            </ul>
          )
        }
      </Frame>
    </Page>
  );
}

/** Histories that are read for their number alone: each is read again with every change of a breaker. */
const COUNTED = 20;

function BreakerRow(props: {
  breaker: Breaker;
  open: boolean;
  /** How many failures there are is told before they are shown. */
  counted: boolean;
  onToggle: (open: boolean) => void;
}) {
  const { breaker } = props;
  const failures = useFailureCount(breaker.key, props.open || props.counted);
  const act = useApp((state) => state.act);
  const place = `breaker ${breaker.key}`;
  const refused = useRefusal(place);
  return (
    <li className={styles.breaker} data-state={breaker.state} data-breaker-key={breaker.key}>
      <div className={styles.top}>
        <Status kind="breaker" status={breaker.state} />
        <a
          className={styles.name}
          href={hrefTo("runs", null, { function: breaker.function_id, window: "all" })}
        >
          {breaker.function_id}
        </a>
        <code className={styles.endpoint}>{breaker.endpoint}</code>
        {breaker.state !== "closed" && (
          <Button
            refused={refused}
            icon={<RotateCcw aria-hidden="true" size={14} />}
            onClick={() =>
              void act(place, {
                tool: "ironflow_circuit_breaker_reset",
                input: { key: breaker.key },
                name: "Reset the breaker",
                done: "Reset. Runs that were held back are sent now.",
              })
            }
          >
            Reset
          </Button>
        )}
      </div>
      <Facts
        facts={[
          breaker.consecutive_fails === 0
            ? null
            : { name: "Failures in a row", value: breaker.consecutive_fails },
          breaker.waiting_runs === undefined || breaker.waiting_runs === 0
            ? null
            : { name: "Runs held back", value: breaker.waiting_runs },
          breaker.open_until === undefined || breaker.state !== "open"
            ? null
            : { name: "Tries again", value: <Age at={breaker.open_until} /> },
          breaker.last_failure === undefined
            ? null
            : { name: "Last failure", value: <Time at={breaker.last_failure} /> },
          breaker.last_failure_reason === undefined
            ? null
            : {
                name: "Reason",
                value: (
                  <span className={styles.reason} data-past={breaker.state === "closed"}>
                    {breaker.last_failure_reason}
                  </span>
                ),
              },
        ]}
      />
      <div>
        <Fold open={props.open} onToggle={props.onToggle}>
          {failures === undefined ? "Failures" : `Failures (${failures.toLocaleString("en")})`}
        </Fold>
      </div>
      {props.open && <FailureHistory breakerKey={breaker.key} />}
      <ActionNote place={place} />
    </li>
  );
}

/** How many failures of a breaker are kept; undefined while that is not known. */
function useFailureCount(key: string, wanted: boolean): number | undefined {
  const open = useApp((state) => state.openBreakerFailures);
  const reading = useApp((state) => state.breakerFailures[key]);
  useEffect(() => (wanted ? open(key) : undefined), [open, key, wanted]);
  return reading === undefined ? undefined : dataOf(reading)?.length;
}
