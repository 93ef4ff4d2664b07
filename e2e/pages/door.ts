import type { Page } from "@playwright/test";
import { consentRequests } from "../../electron/contract/consent.ts";
import { requests, type RequestIn, type RequestName, type RequestOut } from "../../electron/contract/ipc.ts";
import type { TextBridge } from "../../electron/contract/window.ts";

declare const window: { readonly ironbridge: TextBridge };

/** What a script in the main window's page can ask of main. */
export async function askMain<N extends RequestName>(
  page: Page,
  name: N,
  argument: RequestIn<N>,
): Promise<RequestOut<N>> {
  return requests[name].out.parse(await askAnything(page, name, argument)) as RequestOut<N>;
}

/** The same in the consent window's page, for the question on top. */
export async function currentQuestion(page: Page) {
  return consentRequests["consent:current"].out.parse(await askAnything(page, "consent:current", {}));
}

/** Whatever name and argument: main decides. */
export async function askAnything(page: Page, name: string, argument: unknown): Promise<unknown> {
  const text = await page.evaluate(([to, body]) => window.ironbridge.request(to, body), [
    name,
    JSON.stringify(argument),
  ] as const);
  return JSON.parse(text) as unknown;
}
