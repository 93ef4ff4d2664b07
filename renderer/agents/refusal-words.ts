/** Outcomes of a question, as a person says them; see `ConsentOutcome`. Every other reason is written in words already. */
const WORDS: Readonly<Record<string, string>> = {
  declined: "you declined",
  not_answered: "the question was closed",
  expired: "nobody answered in time",
  caller_gone: "the caller has gone",
  target_changed: "the target had changed",
  app_closed: "the app was closed",
  too_many_questions: "too many questions waited",
};

/** Why a call was refused, or the code of its error, for a person. */
export const refusalWords = (reason: string): string =>
  (Object.hasOwn(WORDS, reason) ? WORDS[reason] : undefined) ?? reason.replaceAll("_", " ");
