import type { Notice } from "../notice.ts";
import type { AskedQuestion } from "./consent.ts";

export interface QuestionNoticeParts {
  /** The question on top. */
  top(): { readonly id: string; readonly question: Pick<AskedQuestion, "title" | "caller"> } | undefined;
  /** Whether the person looks at a window of ours. */
  isFocused(): boolean;
  notify(text: { title: string; body: string }, onClick: () => void): Notice | undefined;
  /** Brings the question to the front. */
  show(): void;
}

/**
 * Tells a person who looks elsewhere that a question waits: once for each that comes on top. It goes away with the
 * question, and a click on it only shows the question.
 */
export function questionNotices(parts: QuestionNoticeParts): () => void {
  let seen: string | undefined;
  let notice: Notice | undefined;
  return () => {
    const top = parts.top();
    if (top?.id === seen) return;
    seen = top?.id;
    notice?.close();
    notice = undefined;
    if (top === undefined || parts.isFocused()) return;
    const { title, caller } = top.question;
    notice = parts.notify({ title: "Ironbridge asks you", body: `${caller.name}: ${title}` }, () =>
      parts.show(),
    );
  };
}
