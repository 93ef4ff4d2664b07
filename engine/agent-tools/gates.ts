/** Lets calls of an agent's tools run side by side, and a new registration only once none is under way. */
export interface Gates {
  /** Runs a call; one that comes while a registration waits runs after that. */
  call<T>(agent: string, work: () => Promise<T>): Promise<T>;
  /** Runs a registration alone. */
  alone<T>(agent: string, work: () => Promise<T>): Promise<T>;
}

interface Gate {
  /** Calls that are under way. */
  calls: Set<Promise<unknown>>;
  /** The end of the last registration that was asked for. */
  last: Promise<unknown>;
  users: number;
}

export function createGates(): Gates {
  const gates = new Map<string, Gate>();

  async function using<T>(agent: string, work: (gate: Gate) => Promise<T>): Promise<T> {
    const gate = gates.get(agent) ?? { calls: new Set(), last: Promise.resolve(), users: 0 };
    gates.set(agent, gate);
    gate.users += 1;
    try {
      return await work(gate);
    } finally {
      gate.users -= 1;
      if (gate.users === 0) gates.delete(agent);
    }
  }

  const settled = (work: Promise<unknown>) => work.catch(() => undefined);

  return {
    call: (agent, work) =>
      using(agent, async (gate) => {
        for (let seen: Promise<unknown> | undefined; seen !== gate.last;) {
          seen = gate.last;
          await settled(seen);
        }
        const call = work();
        gate.calls.add(call);
        try {
          return await call;
        } finally {
          gate.calls.delete(call);
        }
      }),
    alone: (agent, work) =>
      using(agent, (gate) => {
        const before = gate.last;
        const mine = (async () => {
          await settled(before);
          await Promise.all([...gate.calls].map(settled));
          return work();
        })();
        gate.last = mine;
        return mine;
      }),
  };
}
