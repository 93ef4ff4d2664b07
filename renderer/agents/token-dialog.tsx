import { KeyRound } from "lucide-react";
import { useState } from "react";
import { TokenName, type NewToken } from "../../electron/contract/tokens.ts";
import type { ToolError } from "../../mcp/contract/errors.ts";
import { outcomeOf } from "../actions/outcome.ts";
import { Button } from "../ui/button.tsx";
import { Callout } from "../ui/callout.tsx";
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
  const waiting = useApp((state) => state.waitingQuestions);
  const showQuestion = useApp((state) => state.showQuestion);
  const [name, setName] = useState("");
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(["mcp.call"]));
  const [limit, setLimit] = useState(NO_LIMIT);
  const [policy, setPolicy] = useState(USUAL_POLICY);
  const [state, setState] = useState<"editing" | "asking">("editing");
  const [problem, setProblem] = useState<string | null>(null);
  const [error, setError] = useState<ToolError | null>(null);
  const [created, setCreated] = useState<NewToken | null>(null);

  async function submit() {
    const parsed = TokenName.safeParse(name);
    setProblem(parsed.success ? null : `The name ${wording(parsed.error.issues[0]?.message)}`);
    const read = readLimit(limit);
    if (!parsed.success || !read.ok || state === "asking") return;
    setError(null);
    setState("asking");
    const answer = await make({
      name: parsed.data,
      permissions: [...chosen],
      ...(read.limit === null ? {} : { rate_limit: read.limit }),
      terminal_policy: policy,
    });
    setState("editing");
    if (answer.ok) setCreated(answer.created);
    else setError(answer.error);
  }

  if (created !== null) {
    return (
      // Escape would lose it, and it can never be shown again.
      <Modal title={`Token for ${created.info.name}`} onClose={onClose} closable={false}>
        <ShownOnce created={created} onDone={onClose} />
      </Modal>
    );
  }
  const refusal = error === null ? null : outcomeOf({ phase: "not_done", what: "Make the token", error });
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
            refused={state === "asking" ? "It waits for your approval" : undefined}
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
      <div role="status">
        {state === "asking" && (
          <Callout tone="info" title="It waits for your approval.">
            {waiting > 0 && <Button onClick={showQuestion}>Show the question</Button>}
          </Callout>
        )}
        {refusal !== null && (
          <Callout tone={refusal.tone === "bad" ? "bad" : "info"} title={refusal.title}>
            <p>{refusal.detail === "Nothing was changed." ? "No token was made." : refusal.detail}</p>
          </Callout>
        )}
      </div>
    </Modal>
  );
}

/** The contract's messages come in two forms: a rule, and the end of a sentence. */
const wording = (message = "does not fit"): string =>
  message.startsWith("is ") ? message : `must be ${message}`;
