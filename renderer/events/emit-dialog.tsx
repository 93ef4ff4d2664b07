import { Send } from "lucide-react";
import { useState } from "react";
import { ActionNote } from "../actions/action-note.tsx";
import { hrefTo } from "../store/route.ts";
import { Button } from "../ui/button.tsx";
import { CodeInput, Field, TextInput } from "../ui/field.tsx";
import { Modal, ModalButtons } from "../ui/modal.tsx";
import { useApp } from "../ui/use-app.ts";
import styles from "./emit-dialog.module.css";
import { emitArguments, emitProblems, type EmitForm } from "./emit-input.ts";

const PLACE = "emit";
const DATA_CHARS = 1_048_576;
type Emitted = { readonly event_id: string; readonly run_ids: readonly string[] };

/** Emits an event by hand, and shows which runs it started. */
export function EmitDialog({ onClose }: { onClose: () => void }) {
  const act = useApp((state) => state.act);
  const putAway = useApp((state) => state.putAway);
  const busy = useApp((state) => state.actions[PLACE]?.phase === "under_way");
  const [form, setForm] = useState<EmitForm>({ name: "", data: "{\n  \n}", key: "" });
  const [tried, setTried] = useState(false);
  const [emitted, setEmitted] = useState<Emitted | null>(null);
  const problems = emitProblems(form);
  const shown = tried ? problems : { name: null, data: null };

  function close() {
    putAway(PLACE);
    onClose();
  }

  async function emit() {
    setTried(true);
    setEmitted(null);
    if (problems.name !== null || problems.data !== null) return;
    const answer = await act(PLACE, {
      tool: "ironflow_emit_event",
      input: emitArguments(form),
      name: "Emit the event",
      done: "Emitted.",
    });
    if (answer?.ok === true) setEmitted(answer.data);
  }

  return (
    <Modal
      title="Emit an event"
      onClose={close}
      onSubmit={() => void emit()}
      footer={
        <ModalButtons>
          <Button onClick={close}>Close</Button>
          <Button
            type="submit"
            look="primary"
            refused={busy ? "It is being emitted" : undefined}
            icon={<Send aria-hidden="true" size={14} />}
          >
            Emit
          </Button>
        </ModalButtons>
      }
    >
      <Field label="Name" problem={shown.name} hint="Functions whose trigger matches it start for real.">
        {(ids) => (
          <TextInput
            ids={ids}
            mono
            value={form.name}
            maxLength={256}
            placeholder="order.placed"
            onChange={(name) => setForm({ ...form, name })}
          />
        )}
      </Field>
      <Field label="Data" problem={shown.data} hint="A JSON object. Numbers keep every digit.">
        {(ids) => (
          <CodeInput
            ids={ids}
            rows={9}
            value={form.data}
            maxLength={DATA_CHARS}
            onChange={(data) => setForm({ ...form, data })}
          />
        )}
      </Field>
      <Field label="Idempotency key (optional)" hint="The same key never gives a second event.">
        {(ids) => (
          <TextInput
            ids={ids}
            mono
            value={form.key}
            maxLength={256}
            onChange={(key) => setForm({ ...form, key })}
          />
        )}
      </Field>
      <ActionNote place={PLACE} />
      {emitted !== null && <Started emitted={emitted} onFollow={close} />}
    </Modal>
  );
}

function Started({ emitted, onFollow }: { emitted: Emitted; onFollow: () => void }) {
  return (
    <div className={styles.started}>
      <a href={hrefTo("events", emitted.event_id)} onClick={onFollow}>
        {emitted.event_id}
      </a>
      {emitted.run_ids.length === 0 ? (
        <p>No function reacts to it: nothing was started.</p>
      ) : (
        <ul aria-label="Runs it started">
          {emitted.run_ids.map((id) => (
            <li key={id}>
              started{" "}
              <a href={hrefTo("runs", id)} onClick={onFollow}>
                {id}
              </a>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
