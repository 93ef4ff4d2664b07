import { beforeEach, expect, it } from "vitest";
import { questionNotices, type QuestionNoticeParts } from "./question-notices.ts";

let top: ReturnType<QuestionNoticeParts["top"]>;
let focused: boolean;
let said: string[];
let click: () => void;
let changed: () => void;
const question = (id: string) => ({ id, question: { title: `Delete ${id}`, caller: { name: "claude" } } });

beforeEach(() => {
  top = undefined;
  focused = false;
  said = [];
  changed = questionNotices({
    top: () => top,
    isFocused: () => focused,
    notify({ title, body }, onClick) {
      click = onClick;
      said.push(`${title} | ${body}`);
      return { close: () => void said.push("closed") };
    },
    show: () => void said.push("shown"),
  });
});

it("a question that comes on top while the person looks elsewhere is told once, and goes with it", () => {
  changed();
  top = question("run_1");
  changed();
  changed();
  top = question("run_2");
  changed();
  top = undefined;
  changed();
  expect(said).toEqual([
    "Ironbridge asks you | claude: Delete run_1",
    "closed",
    "Ironbridge asks you | claude: Delete run_2",
    "closed",
  ]);
});

it("a person who looks at a window of ours is not told a second time", () => {
  focused = true;
  top = question("run_1");
  changed();
  focused = false;
  changed();
  expect(said).toEqual([]);
});

it("a click shows the question, and answers nothing", () => {
  top = question("run_1");
  changed();
  click();
  expect(said).toEqual(["Ironbridge asks you | claude: Delete run_1", "shown"]);
});
