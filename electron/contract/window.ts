import type { consentEvents, consentRequests, ConsentEventName, ConsentRequestName } from "./consent.ts";
import type { EventBody, EventName, RequestIn, RequestName, RequestOut } from "./ipc.ts";
import type * as z from "zod/v4";

/** What the preload puts on `window.ironbridge` in the main window. `listen` returns the way to stop listening. */
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
