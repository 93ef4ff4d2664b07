import type { consentEvents, consentRequests, ConsentEventName, ConsentRequestName } from "./consent.ts";
import type { EventBody, EventName, RequestIn, RequestName, RequestOut } from "./ipc.ts";
import type * as z from "zod/v4";

/**
 * A body that begins with this, as no JSON does, has numbers that no double holds: the JSON behind it is read with all their
 * digits.
 */
export const EXACT_BODY = "#";

/**
 * What a preload puts on `window.ironbridge`, in either window. Everything crosses as JSON text: a value that is copied from
 * one world into the other loses members that are named `__proto__`, a text loses nothing.
 */
export type TextBridge = {
  /** @param argument JSON. Answers JSON, perhaps behind `EXACT_BODY`. */
  request(name: string, argument: string): Promise<string>;
  listen(name: string, listener: (body: string) => void): () => void;
};

/** The main window's door, as its page uses it. `listen` returns the way to stop listening. */
export type IronbridgeWindow = {
  request<N extends RequestName>(name: N, argument: RequestIn<N>): Promise<RequestOut<N>>;
  listen<N extends EventName>(name: N, listener: (body: EventBody<N>) => void): () => void;
};

/** The same for the consent window, whose preload knows only its own rows. */
export type ConsentWindow = {
  request<N extends ConsentRequestName>(
    name: N,
    argument: z.input<(typeof consentRequests)[N]["in"]>,
  ): Promise<z.output<(typeof consentRequests)[N]["out"]>>;
  listen<N extends ConsentEventName>(
    name: N,
    listener: (body: z.output<(typeof consentEvents)[N]>) => void,
  ): () => void;
};
