import { Plus } from "lucide-react";
import { useState } from "react";
import type { EngineInfo } from "../../electron/contract/engines.ts";
import { Button } from "../ui/button.tsx";
import { Frame } from "../ui/frame.tsx";
import { Section } from "../ui/sections.tsx";
import { useApp } from "../ui/use-app.ts";
import { AddEngineDialog, EngineKeyDialog, RenameEngineDialog } from "./engine-dialog.tsx";
import { keyText, rightsText, testText } from "./engine-words.ts";
import styles from "./engines-section.module.css";

/** Every engine that the window can show, and what can be done with it. */
export function EnginesSection() {
  const engines = useApp((state) => state.engines);
  const problem = useApp((state) => state.switchProblem);
  const [adding, setAdding] = useState(false);
  return (
    <Section title="Engines">
      {problem !== null && (
        <p role="alert" className={styles.problem}>
          {problem}
        </p>
      )}
      <Frame reading={engines} what="the engines" ofApp>
        {(list) => (
          <ul className={styles.list} aria-label="Engines that the window can show">
            {list.map((engine) => (
              <EngineRow key={engine.id} engine={engine} />
            ))}
          </ul>
        )}
      </Frame>
      <div>
        <Button icon={<Plus aria-hidden="true" size={14} />} onClick={() => setAdding(true)}>
          Add an engine
        </Button>
      </div>
      {adding && <AddEngineDialog onClose={() => setAdding(false)} />}
    </Section>
  );
}

function EngineRow({ engine }: { engine: EngineInfo }) {
  const go = useApp((state) => state.switchEngine);
  const test = useApp((state) => state.testEngine);
  const remove = useApp((state) => state.removeEngine);
  const tested = useApp((state) => state.engineTests[engine.id]);
  const [open, setOpen] = useState<"rename" | "key" | null>(null);
  const [sure, setSure] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const { name } = engine;
  const words = tested === undefined ? null : testText(tested, engine.key);
  const close = () => setOpen(null);
  return (
    <li className={styles.engine} data-engine-id={engine.id}>
      <div className={styles.top}>
        <strong className={styles.name}>{name}</strong>
        {engine.shown && <span className={styles.shown}>shown now</span>}
        <span className={styles.space} />
        {sure ? (
          <>
            <Button
              look="danger"
              onClick={() => void remove(engine.id).then((error) => setProblem(error?.error ?? null))}
            >
              Remove {name}
            </Button>
            <Button onClick={() => setSure(false)}>Keep it</Button>
          </>
        ) : (
          <>
            {!engine.shown && (
              <Button aria-label={`Switch to ${name}`} onClick={() => void go(engine.id)}>
                Switch to it
              </Button>
            )}
            {engine.kind === "remote" && (
              <Button
                look="quiet"
                aria-label={`Test ${name}`}
                refused={tested?.phase === "under_way" ? "It is being tested" : undefined}
                onClick={() => void test(engine.id)}
              >
                Test
              </Button>
            )}
            {engine.saved && (
              <>
                <Button look="quiet" aria-label={`Rename ${name}`} onClick={() => setOpen("rename")}>
                  Rename
                </Button>
                <Button look="quiet" aria-label={`API key of ${name}`} onClick={() => setOpen("key")}>
                  API key
                </Button>
                <Button
                  look="quiet"
                  aria-label={`Remove ${name}`}
                  refused={engine.shown ? "Switch to another engine first" : undefined}
                  onClick={() => setSure(true)}
                >
                  Remove
                </Button>
              </>
            )}
          </>
        )}
      </div>
      <p className={styles.notes}>
        {engine.url !== "" && <code className={styles.url}>{engine.url}</code>}
        <span>{rightsText(engine)}</span>
        {engine.kind === "remote" && <span data-needed={engine.key === "needed"}>{keyText(engine)}</span>}
        {engine.kind === "remote" && !engine.saved && <span>named by a flag of this start</span>}
      </p>
      <p className={styles.test} data-good={words?.good ?? true} role="status">
        {problem ?? words?.text}
      </p>
      {open === "rename" && <RenameEngineDialog engine={engine} onClose={close} />}
      {open === "key" && <EngineKeyDialog engine={engine} onClose={close} />}
    </li>
  );
}
