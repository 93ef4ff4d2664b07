import { Plus } from "lucide-react";
import { useEffect, useState, type ReactNode } from "react";
import { EngineAddress, EngineKey, EngineName, type EngineInfo } from "../../electron/contract/engines.ts";
import type { ToolError } from "../../mcp/contract/errors.ts";
import { AskingNote, RefusalNote } from "../actions/asking-note.tsx";
import { Button } from "../ui/button.tsx";
import { Check } from "../ui/check.tsx";
import { Field, TextInput } from "../ui/field.tsx";
import { Modal, ModalButtons } from "../ui/modal.tsx";
import { useApp } from "../ui/use-app.ts";

type Parses = { safeParse(value: string): { success: boolean; error?: { issues: { message: string }[] } } };

/** What is wrong with a field, as a sentence, or null. */
function wrongWith(schema: Parses, what: string, text: string): string | null {
  const { error } = schema.safeParse(text);
  const message = error?.issues[0]?.message;
  if (message === undefined) return null;
  return `${what} ${message.startsWith("must ") ? message : `must be ${message}`}.`;
}

/** Adds an engine. A new address asks in the window that asks. */
export function AddEngineDialog({ onClose }: { onClose: () => void }) {
  const add = useApp((state) => state.addEngine);
  const [name, setName] = useState("");
  const [url, setUrl] = useState("");
  const [key, setKey] = useState("");
  const [readOnly, setReadOnly] = useState(true);
  const [tried, setTried] = useState(false);
  const problems = {
    name: wrongWith(EngineName, "The name", name),
    url: wrongWith(EngineAddress, "The address", url),
    key: key === "" ? null : wrongWith(EngineKey, "The key", key),
  };
  const wrong = Object.values(problems).some((problem) => problem !== null);
  return (
    <EngineForm
      title="Add an engine"
      what="Add the engine"
      verb="Add"
      icon={<Plus aria-hidden="true" size={14} />}
      onClose={onClose}
      submit={() => {
        setTried(true);
        if (wrong) return null;
        return add({
          name,
          url,
          ...(key === "" ? {} : { api_key: key }),
          person_may_write: !readOnly,
        });
      }}
    >
      <Field label="Name" hint="Shown wherever you decide." problem={tried ? problems.name : null}>
        {(ids) => (
          <TextInput ids={ids} value={name} maxLength={40} placeholder="Staging" onChange={setName} />
        )}
      </Field>
      <Field label="Address" hint="Where the engine answers." problem={tried ? problems.url : null}>
        {(ids) => (
          <TextInput
            ids={ids}
            value={url}
            maxLength={2_048}
            mono
            placeholder="https://ironflow.example.com"
            onChange={setUrl}
          />
        )}
      </Field>
      <KeyField value={key} problem={tried ? problems.key : null} onChange={setKey} />
      <Check
        title="Read-only"
        text="You can allow changes later, under Connection. Agents only read until you allow more."
        on={readOnly}
        onChange={setReadOnly}
      />
    </EngineForm>
  );
}

export function RenameEngineDialog({ engine, onClose }: { engine: EngineInfo; onClose: () => void }) {
  const rename = useApp((state) => state.renameEngine);
  const [name, setName] = useState(engine.name);
  const [tried, setTried] = useState(false);
  const problem = wrongWith(EngineName, "The name", name);
  return (
    <EngineForm
      title={`Rename ${engine.name}`}
      what="Rename the engine"
      verb="Rename"
      onClose={onClose}
      submit={() => {
        setTried(true);
        return problem === null ? rename(engine.id, name) : null;
      }}
    >
      <Field label="Name" hint={engine.url} problem={tried ? problem : null}>
        {(ids) => <TextInput ids={ids} value={name} maxLength={40} onChange={setName} />}
      </Field>
    </EngineForm>
  );
}

export function EngineKeyDialog({ engine, onClose }: { engine: EngineInfo; onClose: () => void }) {
  const setStored = useApp((state) => state.setEngineKey);
  const [key, setKey] = useState("");
  const problem = key === "" ? null : wrongWith(EngineKey, "The key", key);
  return (
    <EngineForm
      title={`API key of ${engine.name}`}
      what="Change the key"
      verb={key === "" ? "Use no key" : "Use this key"}
      onClose={onClose}
      submit={() => (problem === null ? setStored(engine.id, key === "" ? null : key) : null)}
    >
      <KeyField value={key} problem={problem} onChange={setKey} />
    </EngineForm>
  );
}

function KeyField(props: { value: string; problem: string | null; onChange: (key: string) => void }) {
  const read = useApp((state) => state.readKeyStore);
  const [keeps, setKeeps] = useState<boolean | null>(null);
  useEffect(() => void read().then(setKeeps), [read]);
  const hint =
    keeps === null
      ? "Leave it empty where the engine asks for none."
      : keeps
        ? "Kept by the system's key store. Leave it empty where the engine asks for none."
        : "Kept until the app ends, because this system has no key store. Leave it empty where the engine asks for none.";
  return (
    <Field label="API key" hint={hint} problem={props.problem}>
      {(ids) => (
        <TextInput ids={ids} value={props.value} maxLength={4_096} mono secret onChange={props.onChange} />
      )}
    </Field>
  );
}

/** The frame of the three forms: what waits, what went wrong, and the way out. `submit` gives null where a field is wrong. */
function EngineForm(props: {
  title: string;
  /** What is tried, for the words of a refusal. */
  what: string;
  verb: string;
  icon?: ReactNode;
  submit: () => Promise<ToolError | null> | null;
  onClose: () => void;
  children: ReactNode;
}) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<ToolError | null>(null);

  async function submit() {
    if (busy) return;
    const done = props.submit();
    if (done === null) return;
    setError(null);
    setBusy(true);
    const problem = await done;
    setBusy(false);
    if (problem === null) props.onClose();
    else setError(problem);
  }

  return (
    <Modal
      title={props.title}
      onClose={props.onClose}
      onSubmit={() => void submit()}
      footer={
        <ModalButtons>
          <Button onClick={props.onClose}>Close</Button>
          <Button
            type="submit"
            look="primary"
            icon={props.icon}
            refused={busy ? "It is under way" : undefined}
          >
            {props.verb}
          </Button>
        </ModalButtons>
      }
    >
      {props.children}
      <AskingNote asking={busy}>
        <RefusalNote what={props.what} error={error} />
      </AskingNote>
    </Modal>
  );
}
