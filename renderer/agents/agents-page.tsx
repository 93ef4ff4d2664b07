import { Plus } from "lucide-react";
import { useState } from "react";
import { dataOf } from "../store/reading.ts";
import { Button } from "../ui/button.tsx";
import { Frame } from "../ui/frame.tsx";
import { Page } from "../ui/page.tsx";
import { useApp } from "../ui/use-app.ts";
import { ActivityStrip } from "./activity-strip.tsx";
import styles from "./agents-page.module.css";
import { TokenDialog } from "./token-dialog.tsx";
import { LocalTokenRow } from "./local-token-row.tsx";
import { ToolPermissionsSection } from "./tool-permissions.tsx";
import { TokenRow } from "./token-row.tsx";

/** Who may come in, with what, and what they are doing. */
export function AgentsPage() {
  const tokens = useApp((state) => state.tokens);
  const problem = useApp((state) => state.revokeProblem);
  const [making, setMaking] = useState(false);
  const isLocalListed = useApp((state) => state.localToken !== null);
  const made = dataOf(tokens)?.length;
  const count = made === undefined ? undefined : made + (isLocalListed ? 1 : 0);
  return (
    <Page
      title="Agents"
      note={count === undefined ? undefined : count === 1 ? "1 token" : `${count} tokens`}
      tools={
        <Button look="primary" icon={<Plus aria-hidden="true" size={14} />} onClick={() => setMaking(true)}>
          Make a token
        </Button>
      }
    >
      <div className={styles.body}>
        <section className={styles.tokens} aria-label="Tokens">
          {problem !== null && (
            <p role="alert" className={styles.problem}>
              {problem}
            </p>
          )}
          <Frame reading={tokens} what="the tokens" ofApp>
            {(list) =>
              list.length === 0 ? (
                <div className={styles.list}>
                  <div className={styles.none}>
                    <h2>No agent has a token of its own</h2>
                    <p>Make one for each agent, so that you see who does what.</p>
                  </div>
                </div>
              ) : (
                <ul className={styles.list}>
                  {list.map((token) => (
                    <TokenRow key={token.name} token={token} />
                  ))}
                </ul>
              )
            }
          </Frame>
          <div className={styles.list}>
            <LocalTokenRow />
          </div>
          <ToolPermissionsSection />
        </section>
        <ActivityStrip />
      </div>
      {making && <TokenDialog onClose={() => setMaking(false)} />}
    </Page>
  );
}
