/** How many requests were answered, by era and status. Counts begin with the process. */
export interface Meters {
  answered(kind: RequestKind, status: number): void;
  requests(): { kind: RequestKind; status: number; count: number }[];
}

export type RequestKind = "rest" | "connect";

export function createMeters(): Meters {
  const counts = new Map<string, { kind: RequestKind; status: number; count: number }>();
  return {
    answered: (kind, status) => {
      const key = `${kind} ${status}`;
      const entry = counts.get(key) ?? { kind, status, count: 0 };
      counts.set(key, { ...entry, count: entry.count + 1 });
    },
    requests: () => [...counts.values()],
  };
}
