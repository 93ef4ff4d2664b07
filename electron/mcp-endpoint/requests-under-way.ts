import * as z from "zod/v4";

export type RequestId = string | number;
const Id = z.union([z.string(), z.number()]);
const Request = z.looseObject({ method: z.string(), id: Id });
const Cancelled = z.looseObject({
  method: z.literal("notifications/cancelled"),
  params: z.looseObject({ requestId: Id }),
});

/** The requests of one body, which one HTTP answer carries. */
interface Group {
  /** Those that will still get something into that answer. */
  readonly open: Set<RequestId>;
  cancelled: boolean;
}

/** The requests of one handshake session that wait for their answers. */
export interface RequestsUnderWay {
  /** Notes the requests of a body. False, and nothing noted, when an id is used twice: its answers could not be told apart. */
  begin(body: unknown): boolean;
  /** The HTTP answer to this body is over, whoever ended it. */
  end(body: unknown): void;
  /** A request was answered. */
  answered(id: RequestId): void;
  /** The protocol has seen this body: what it cancels will get no answer. */
  cancel(body: unknown): void;
}

/**
 * A cancelled request gets no answer, so an HTTP answer whose other requests are done would stay open for ever, and its
 * connection with it: clients that cancel do not hang up.
 * @param endAnswer ends the HTTP answer that this request's would go into
 */
export function requestsUnderWay(endAnswer: (id: RequestId) => void): RequestsUnderWay {
  const groups = new Map<RequestId, Group>();

  function settle(id: RequestId, cancelled: boolean): void {
    const group = groups.get(id);
    if (group === undefined || !group.open.delete(id)) return;
    group.cancelled ||= cancelled;
    if (group.cancelled && group.open.size === 0) endAnswer(id);
  }

  return {
    begin(body) {
      const ids = requestIds(body);
      if (new Set(ids).size < ids.length || ids.some((id) => groups.has(id))) return false;
      const group: Group = { open: new Set(ids), cancelled: false };
      for (const id of ids) groups.set(id, group);
      return true;
    },
    end(body) {
      for (const id of requestIds(body)) groups.delete(id);
    },
    answered: (id) => settle(id, false),
    cancel(body) {
      for (const message of messages(body)) {
        const parsed = Cancelled.safeParse(message);
        if (parsed.success) settle(parsed.data.params.requestId, true);
      }
    },
  };
}

const messages = (body: unknown): readonly unknown[] => (Array.isArray(body) ? (body as unknown[]) : [body]);

function requestIds(body: unknown): RequestId[] {
  return messages(body).flatMap((message) => {
    const parsed = Request.safeParse(message);
    return parsed.success ? [parsed.data.id] : [];
  });
}
