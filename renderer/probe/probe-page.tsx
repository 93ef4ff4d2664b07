import { FlaskConical, Square } from "lucide-react";
import { useEffect, useState } from "react";
import type { Probe } from "../../electron/contract/probe.ts";
import { outcomeOf } from "../actions/outcome.ts";
import { GRANTS } from "../agents/permissions.ts";
import { dataOf } from "../store/reading.ts";
import { Button } from "../ui/button.tsx";
import { Callout } from "../ui/callout.tsx";
import { Check, Checks } from "../ui/check.tsx";
import { NamedChoice } from "../ui/choice.tsx";
import { Page } from "../ui/page.tsx";
import { useApp } from "../ui/use-app.ts";
import { ProbeCallSection } from "./probe-call.tsx";
import { ProbeFrames } from "./probe-frames.tsx";
import styles from "./probe-page.module.css";
import { ProbeTools } from "./probe-tools.tsx";

/** What an agent of each era sees of the app, by the clients that agents use. */
export function ProbePage() {
  const probe = useApp((state) => state.probe);
  const close = useApp((state) => state.closeProbe);
  // The test's token ends with its page.
  useEffect(() => () => void close(), [close]);
  return (
    <Page
      title="Test as an agent"
      note="Connects as agents do, with a token of its own that ends with this page."
      tools={
        probe.phase === "open" ? (
          <Button icon={<Square aria-hidden="true" size={14} />} onClick={() => void close()}>
            End the test
          </Button>
        ) : undefined
      }
    >
      <div className={styles.body} role="region" aria-label="Test as an agent" tabIndex={0}>
        {probe.phase === "open" ? <Running probe={probe.probe} /> : <Start />}
      </div>
    </Page>
  );
}

function Start() {
  const probe = useApp((state) => state.probe);
  const open = useApp((state) => state.openProbe);
  const connections = dataOf(useApp((state) => state.connections)) ?? [];
  const current = useApp((state) => state.connectionId);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(["mcp.call"]));
  const [picked, setPicked] = useState<string | null>(null);
  const connection = picked ?? current ?? connections[0]?.id ?? "";
  const opening = probe.phase === "opening";
  const refusal =
    probe.phase === "refused"
      ? outcomeOf({ phase: "not_done", what: "Start the test", error: probe.error })
      : null;
  return (
    <form
      className={styles.start}
      onSubmit={(event) => {
        event.preventDefault();
        if (!opening && connection !== "") void open(connection, [...chosen]);
      }}
    >
      {connections.length > 0 && (
        <NamedChoice
          label="Connection"
          value={connection}
          options={connections.map(({ id, name }) => ({ value: id, label: name }))}
          onChange={setPicked}
        />
      )}
      <Checks legend="The agent may">
        {GRANTS.map(({ permission, title, text }) => (
          <Check
            key={permission}
            title={title}
            text={text}
            on={chosen.has(permission)}
            onChange={(on) => {
              const next = new Set(chosen);
              if (on) next.add(permission);
              else next.delete(permission);
              setChosen(next);
            }}
          />
        ))}
      </Checks>
      <div role="status">
        {opening && <Callout tone="info" title="Connecting. More than reading waits for your approval." />}
        {refusal !== null && (
          <Callout tone={refusal.tone === "bad" ? "bad" : "info"} title={refusal.title}>
            <p>{refusal.detail}</p>
          </Callout>
        )}
      </div>
      <div>
        <Button
          type="submit"
          look="primary"
          refused={
            opening ? "It is connecting" : chosen.size === 0 ? "Choose what the agent may do" : undefined
          }
          icon={<FlaskConical aria-hidden="true" size={14} />}
        >
          Connect
        </Button>
      </div>
    </form>
  );
}

function Running({ probe }: { probe: Probe }) {
  return (
    <>
      <section className={styles.section} aria-label="Eras">
        <h2>What each era sees</h2>
        <p className={styles.about}>
          <code>{probe.url}</code>
        </p>
        <div className={styles.eras}>
          {probe.views.map((view) => (
            <div key={view.era} className={styles.era}>
              <h3>{view.era === "handshake" ? "Handshake, SDK v1" : "2026-07-28, SDK v2"}</h3>
              {view.problem === undefined ? (
                <p>
                  {view.server}, revision {view.revision}, {view.tools.length} tools
                </p>
              ) : (
                <p className={styles.problem} role="alert">
                  {view.problem}
                </p>
              )}
              <p className={styles.about}>
                connected in {view.connect_ms.toFixed(1)} ms, listed in {view.list_ms.toFixed(1)} ms
              </p>
            </div>
          ))}
        </div>
      </section>
      <ProbeTools views={probe.views} />
      <ProbeCallSection views={probe.views} />
      <ProbeFrames />
    </>
  );
}
