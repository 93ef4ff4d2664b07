import { useState } from "react";
import type { TokenInfo } from "../../electron/contract/tokens.ts";
import { madeVisible } from "../../electron/contract/visible.ts";
import { Button } from "../ui/button.tsx";
import { Age, Time } from "../ui/time.tsx";
import { useApp } from "../ui/use-app.ts";
import { grantsTerminals, grantTitle } from "./permissions.ts";
import { limitText } from "./limit-text.ts";
import { policyText, USUAL_POLICY } from "./terminal-policy-words.ts";
import { TokenChangeDialog } from "./token-change-dialog.tsx";
import styles from "./token-row.module.css";

/** One token: its name is the agent's identity, what the client says of itself is a claim. */
export function TokenRow({ token }: { token: TokenInfo }) {
  const revoke = useApp((state) => state.revokeToken);
  const [sure, setSure] = useState(false);
  const [changing, setChanging] = useState(false);
  return (
    <li className={styles.token} data-token-name={token.name}>
      <div className={styles.top}>
        <strong className={styles.name}>{token.name}</strong>
        {token.permissions.map((permission) => (
          <span key={permission} className={styles.grant} data-permission={permission} title={permission}>
            {grantTitle(permission)}
          </span>
        ))}
        <span className={styles.space} />
        {sure ? (
          <>
            <Button look="danger" onClick={() => void revoke(token.name)}>
              Revoke {token.name}
            </Button>
            <Button onClick={() => setSure(false)}>Keep it</Button>
          </>
        ) : (
          <>
            <Button
              look="quiet"
              aria-label={`Change the token ${token.name}`}
              onClick={() => setChanging(true)}
            >
              Change
            </Button>
            <Button look="quiet" aria-label={`Revoke the token ${token.name}`} onClick={() => setSure(true)}>
              Revoke
            </Button>
          </>
        )}
      </div>
      {changing && <TokenChangeDialog token={token} onClose={() => setChanging(false)} />}
      <p className={styles.notes}>
        <span>{token.rate_limit === undefined ? "no limit of calls" : limitText(token.rate_limit)}</span>
        {token.permissions.some(grantsTerminals) && (
          <span>{policyText(token.terminal_policy ?? USUAL_POLICY)}</span>
        )}
        {token.client_claim !== undefined && <span>says it is “{madeVisible(token.client_claim)}”</span>}
        <span>
          made <Time at={token.created_at} />
        </span>
        <span>
          {token.last_used_at === undefined ? (
            "never used"
          ) : (
            <>
              used <Age at={token.last_used_at} />
            </>
          )}
        </span>
      </p>
    </li>
  );
}
