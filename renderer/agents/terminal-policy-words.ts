import { TerminalPolicy } from "../../electron/contract/tokens.ts";

const WORDS: Readonly<Record<TerminalPolicy, string>> = {
  each: "Ask me about each command",
  once: "Ask me once per start of the app",
  allow: "Run without asking",
};

/** Whether an agent's commands are asked about, as a person chooses it. */
export const POLICY_OPTIONS = TerminalPolicy.options.map((value) => ({ value, label: WORDS[value] }));

/** Of a token to which nothing else was said. */
export const USUAL_POLICY: TerminalPolicy = "once";

/** The policy in a few words, for a token's line. */
export const policyText = (policy: TerminalPolicy): string =>
  ({
    each: "each command asks you",
    once: "the first command of a start asks you",
    allow: "commands run without asking",
  })[policy];
