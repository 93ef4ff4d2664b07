import { useState } from "react";
import type { TokenInfo } from "../../electron/contract/tokens.ts";
import type { ToolError } from "../../mcp/contract/errors.ts";
import { AskingNote } from "../actions/asking-note.tsx";
import { Button } from "../ui/button.tsx";
import { Callout } from "../ui/callout.tsx";
import { Modal, ModalButtons } from "../ui/modal.tsx";
import { useApp } from "../ui/use-app.ts";
import { readLimit, toLimitText } from "./limit-text.ts";
import { USUAL_POLICY } from "./terminal-policy-words.ts";
import { TokenFields } from "./token-fields.tsx";

/** What a token may from its next request on. Giving more asks in the window that asks. */
export function TokenChangeDialog({ token, onClose }: { token: TokenInfo; onClose: () => void }) {
  const change = useApp((state) => state.changeToken);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(token.permissions));
  const [limit, setLimit] = useState(toLimitText(token.rate_limit));
  const [policy, setPolicy] = useState(token.terminal_policy ?? USUAL_POLICY);
  const [asking, setAsking] = useState(false);
  const [error, setError] = useState<ToolError | null>(null);

  async function submit() {
    const read = readLimit(limit);
    if (!read.ok || asking || chosen.size === 0) return;
    setError(null);
    setAsking(true);
    const problem = await change({
      name: token.name,
      permissions: [...chosen],
      rate_limit: read.limit,
      terminal_policy: policy,
    });
    setAsking(false);
    if (problem === null) onClose();
    else setError(problem);
  }

  return (
    <Modal
      title={`What ${token.name} may`}
      onClose={onClose}
      onSubmit={() => void submit()}
      footer={
        <ModalButtons>
          <Button onClick={onClose}>Close</Button>
          <Button type="submit" look="primary" refused={asking ? "It waits for your approval" : undefined}>
            Change
          </Button>
        </ModalButtons>
      }
    >
      <TokenFields
        chosen={chosen}
        onChosen={setChosen}
        limit={limit}
        onLimit={setLimit}
        policy={policy}
        onPolicy={setPolicy}
      />
      <AskingNote asking={asking}>
        {error !== null && (
          <Callout tone="info" title="Nothing was changed about the token">
            <p>{error.error}</p>
          </Callout>
        )}
      </AskingNote>
    </Modal>
  );
}
