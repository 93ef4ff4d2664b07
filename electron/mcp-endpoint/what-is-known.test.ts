import { expect, it } from "vitest";
import { ToolError } from "../../mcp/contract/errors.ts";
import { callFailure, notRunning, tooMany } from "../hub/call-failure.ts";
import { errorResult } from "./tool-result.ts";
import { withWhatIsKnown } from "./what-is-known.ts";

const known = (error: ToolError): string => {
  const { content } = withWhatIsKnown(errorResult(error));
  const { hint = "", error: sentence } = ToolError.parse(
    JSON.parse(content[0]?.type === "text" ? content[0].text : ""),
  );
  expect(sentence).toBe(error.error);
  return hint;
};
const failed = (code: string, more: Partial<ToolError> = {}): ToolError => ({
  error: "the engine said no",
  code,
  retryable: false,
  ...more,
});

const KNOWN =
  "invalid_argument not_found already_exists permission_denied failed_precondition unauthenticated aborted resource_exhausted unimplemented out_of_range";
const UNKNOWN = "unknown deadline_exceeded internal unavailable data_loss canceled";
const CODES = [
  ...KNOWN.split(" ").map((code) => [code, "known"] as const),
  ...UNKNOWN.split(" ").map((code) => [code, "unknown"] as const),
];

it.each(CODES)(
  "%s after an approval says whether nothing was changed, or that nobody knows",
  (code, expected) => {
    const hint = known(failed(code, { hint: "More." }));
    expect(hint).toMatch(
      expected === "unknown"
        ? /^It is not known whether anything was changed: .* More\.$/
        : /^Nothing was changed by this call\. More\.$/,
    );
  },
);

it("a code of nobody's, and words that are no error object, are not known", () => {
  expect(known(failed("strange"))).toContain("not known");
  const { content, isError } = withWhatIsKnown({ isError: true, content: [{ type: "text", text: "boom" }] });
  expect(isError).toBe(true);
  expect(JSON.parse(content[0]?.type === "text" ? content[0].text : "")).toMatchObject({
    error: "boom",
    hint: expect.stringContaining("not known") as string,
  });
});

it("a call of which nobody knows the outcome is not one to send again, whatever the tool server thinks", () => {
  const again = (code: string) =>
    ToolError.parse(
      JSON.parse(
        (withWhatIsKnown(errorResult(failed(code, { retryable: true }))).content[0] as { text: string }).text,
      ),
    ).retryable;
  expect(again("unavailable")).toBe(false);
  expect(again("deadline_exceeded")).toBe(false);
  expect(again("resource_exhausted")).toBe(true);
});

it("what never left changed nothing, whatever its code", () => {
  for (const error of [
    notRunning("local", "It is starting.", "starting"),
    notRunning("local", "It has crashed.", "away"),
    tooMany("local", 3),
  ])
    expect(known(error)).toContain("Nothing was changed");
  expect(known(failed("unavailable", { reason: "not_sent" }))).toContain("Nothing was changed");
});

it("is said once", () => {
  for (const error of [
    callFailure("timed-out", "It did not answer.", true),
    failed("internal", { error: "refused; nothing was changed" }),
  ])
    expect(known(error)).toBe(error.hint ?? "");
});

it("a call that went well is left alone", () => {
  const result = { content: [{ type: "text" as const, text: "{}" }], structuredContent: {} };
  expect(withWhatIsKnown(result)).toBe(result);
});
