import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { expect, type Page } from "@playwright/test";
import * as z from "zod/v4";

const source = readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const Violations = z.array(
  z.looseObject({ id: z.string(), nodes: z.array(z.looseObject({ html: z.string() })) }),
);

/** What axe finds wrong on the page, once nothing on it fades or moves to where it belongs any more. */
export async function violations(page: Page): Promise<string[]> {
  // What never ends, such as a spinner, is how the page looks.
  const moving = () =>
    page.evaluate(
      () =>
        document
          .getAnimations()
          .filter(
            (one) => one.playState === "running" && one.effect?.getComputedTiming().endTime !== Infinity,
          ).length,
    );
  await expect.poll(moving).toBe(0);
  await page.evaluate(await source);
  const found = await page.evaluate(async () => {
    type Axe = { run(options: unknown): Promise<{ violations: unknown }> };
    return (await (window as unknown as { axe: Axe }).axe.run({ resultTypes: ["violations"] })).violations;
  });
  return Violations.parse(found).map(({ id, nodes }) =>
    `${id}: ${nodes.map(({ html }) => html).join(" | ")}`.slice(0, 600),
  );
}
