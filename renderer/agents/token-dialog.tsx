import { KeyRound } from "lucide-react";
import { useState } from "react";
import { TokenName, type NewToken } from "../../electron/contract/tokens.ts";
import type { ToolError } from "../../mcp/contract/errors.ts";
import { AskingNote, RefusalNote } from "../actions/asking-note.tsx";
import { Button } from "../ui/button.tsx";
import { Field, TextInput } from "../ui/field.tsx";
import { Modal, ModalButtons } from "../ui/modal.tsx";
import { useApp } from "../ui/use-app.ts";
import { NO_LIMIT, readLimit } from "./limit-text.ts";
import { ShownOnce } from "./shown-once.tsx";
import { USUAL_POLICY } from "./terminal-policy-words.ts";
import { TokenFields } from "./token-fields.tsx";

/** Makes a token. Giving rights asks in the window that asks; the token is shown here once and kept nowhere. */
export function TokenDialog({ onClose }: { onClose: () => void }) {
  const make = useApp((state) => state.makeToken);
  const [name, setName] = useState("");
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(["mcp.call"]));
  const [limit, setLimit] = useState(NO_LIMIT);
  const [policy, setPolicy] = useState(USUAL_POLICY);
  const [asking, setAsking] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const [error, setError] = useState<ToolError | null>(null);
  const [created, setCreated] = useState<NewToken | null>(null);

  async function submit() {
    const parsed = TokenName.safeParse(name);
    setProblem(parsed.success ? null : `The name ${wording(parsed.error.issues[0]?.message)}`);
    const read = readLimit(limit);
    if (!parsed.success || !read.ok || asking) return;
    setError(null);
    setAsking(true);
    const answer = await make({
      name: parsed.data,
      permissions: [...chosen],
      ...(read.limit === null ? {} : { rate_limit: read.limit }),
      terminal_policy: policy,
    });
    setAsking(false);
    if (answer.ok) setCreated(answer.created);
    else setError(answer.error);
  }

  if (created !== null) {
    return (
      // Escape would lose it, and it can never be shown again.
      <Modal
        title={`Token for ${created.info.name}`}
        onClose={onClose}
        closable={false}
        footer={
          <ModalButtons>
            <Button look="primary" onClick={onClose}>
              I have copied it
            </Button>
          </ModalButtons>
        }
      >
        <ShownOnce created={created} />
      </Modal>
    );
  }
  return (
    <Modal
      title="Make a token for an agent"
      onClose={onClose}
      onSubmit={() => void submit()}
      footer={
        <ModalButtons>
          <Button onClick={onClose}>Close</Button>
          <Button
            type="submit"
            look="primary"
            refused={asking ? "It waits for your approval" : undefined}
            icon={<KeyRound aria-hidden="true" size={14} />}
          >
            Make token
          </Button>
        </ModalButtons>
      }
    >
      <Field
        label="Name"
        problem={problem}
        hint="What you call the agent: this name is shown with everything it does."
      >
        {(ids) => (
          <TextInput ids={ids} value={name} maxLength={64} placeholder="Claude Code" onChange={setName} />
        )}
      </Field>
      <TokenFields
        chosen={chosen}
        onChosen={setChosen}
        limit={limit}
        onLimit={setLimit}
        policy={policy}
        onPolicy={setPolicy}
      />
      <AskingNote asking={asking}>
        <RefusalNote what="Make the token" error={error} unchanged="No token was made." />
      </AskingNote>
    </Modal>
  );
}

/** The contract's messages come in two forms: a rule, and the end of a sentence. */
const wording = (message = "does not fit"): string =>
  message.startsWith("is ") ? message : `must be ${message}`;
